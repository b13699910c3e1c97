"""Verify four tokens of two requests; every row of a state has four spare elements."""

import torch
from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2)
scratch = torch.empty(3, 4, 2, 128, 132, device=inputs["x_q"].device)
inputs["intermediate_ssm"] = scratch[..., :128]

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
