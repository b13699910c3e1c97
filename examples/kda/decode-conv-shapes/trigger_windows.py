"""Decode one token; the windows come from a larger pool."""

import torch
from kda_kernels import kda_decode, reference_decode, sample_decode_inputs

inputs = sample_decode_inputs(requests=2, heads=1)
expected = reference_decode.kda_decode(**inputs).out

inputs["cs_q"] = torch.cat([inputs["cs_q"], inputs["cs_q"]])
actual = kda_decode(**inputs)
