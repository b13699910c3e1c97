"""Verify four tokens of two requests with a scratch for the batch."""

import torch
from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2)
rows = 0  # the largest batch is not known yet
for stream in "qkv":
    inputs[f"intermediate_conv_{stream}"] = torch.empty(rows, 4, 256, 3).to(inputs["x_q"])
inputs["intermediate_ssm"] = torch.empty(rows, 4, 2, 128, 128, device=inputs["x_q"].device)
inputs["intermediate_state_indices"] = torch.arange(2).to(inputs["ssm_state_indices"])

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
