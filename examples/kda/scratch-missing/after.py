"""Verify a ragged batch; the windows of one stream have no scratch."""

import torch
from kda_kernels import kda_decode_fallback, reference_decode, sample_fallback_inputs

inputs = sample_fallback_inputs(lengths=[2, 1], heads=1)
expected = reference_decode.kda_decode_fallback(**inputs).out

inputs["intermediate_conv_v"] = torch.empty_like(inputs["intermediate_conv_q"])
actual = kda_decode_fallback(**inputs)
