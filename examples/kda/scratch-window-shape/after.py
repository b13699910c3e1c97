"""Verify a bonus token and three draft tokens of two requests."""

import torch
from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2)
num_spec = 3
scratch = torch.empty(3, 1 + num_spec, 256, 3, dtype=torch.bfloat16)
inputs["intermediate_conv_q"] = scratch.to(inputs["x_q"].device)

out = fused_kda_decode_mtp_dspark(**inputs)
result = reference.fused_kda_decode_mtp_dspark(**inputs)
rows = inputs["intermediate_state_indices"].long()
actual = out, inputs["intermediate_conv_q"][rows]
expected = result.out, result.windows_q
