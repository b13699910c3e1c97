"""Verify four tokens of two requests and keep their states for the commit."""

import torch
from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2)
rows = torch.arange(2, dtype=torch.int32)
inputs["intermediate_state_indices"] = rows.to(inputs["x_q"].device)

fused_kda_decode_mtp_dspark(**inputs, validate="device")
actual = inputs["intermediate_ssm"][rows.long()]
expected = reference.fused_kda_decode_mtp_dspark(**inputs).states
