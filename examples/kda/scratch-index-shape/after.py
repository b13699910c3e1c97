"""Verify two requests with a scratch of three rows."""

import torch
from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2)
rows = torch.arange(3, dtype=torch.int32, device=inputs["x_q"].device)
inputs["intermediate_state_indices"] = rows[:2]

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
