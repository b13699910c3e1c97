"""Verify four tokens of two requests with the scratch of all three layers."""

import torch
from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2)
inputs["intermediate_ssm"] = torch.stack([inputs["intermediate_ssm"]] * 3)  # [layer, R, T1, ...]

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
