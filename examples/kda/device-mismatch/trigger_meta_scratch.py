"""Verify four tokens of two requests; the scratch was made with the model's skeleton."""

import torch
from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2)
with torch.device("meta"):
    scratch = torch.empty(3, 4, 2, 128, 128)
inputs["intermediate_ssm"] = scratch

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
