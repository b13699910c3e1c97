"""Verify four tokens of two requests with a freshly allocated scratch."""

import torch
from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2)
scratch = torch.empty(3, 4, 2, 128, 128, dtype=torch.float32)
inputs["intermediate_ssm"] = scratch.to(inputs["x_q"].device)

out = fused_kda_decode_mtp_dspark(**inputs)
result = reference.fused_kda_decode_mtp_dspark(**inputs)
rows = inputs["intermediate_state_indices"].long()
actual = out, inputs["intermediate_ssm"][rows]
expected = result.out, result.states
