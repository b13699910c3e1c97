"""Verify three requests in a scratch of three rows, numbered from one."""

import torch
from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=3, tokens_per_request=4, heads=1)
for name in ("intermediate_ssm", *(f"intermediate_conv_{stream}" for stream in "qkv")):
    inputs[name] = inputs[name][:3]
rows = torch.arange(1, 4, dtype=torch.int32)
inputs["intermediate_state_indices"] = rows.to(inputs["x_q"].device)

actual = fused_kda_decode_mtp_dspark(**inputs, validate="device")
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
