"""Verify two requests with the slot buffer of a batch of three."""

import torch
from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2)
buffer = torch.full((3,), -1, dtype=torch.int32, device=inputs["x_q"].device)
buffer[:2] = inputs["ssm_state_indices"]
inputs["ssm_state_indices"] = buffer

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
