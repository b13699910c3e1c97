"""Verify four tokens of two requests with a scale that a temperature divides."""

import torch
from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2)
temperature = torch.tensor(0.0)
inputs["scale"] = (128**-0.5 / temperature).item()

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
