"""Verify four tokens of two requests; three scratch rows, four pool slots."""

import torch
from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2)
slots = torch.tensor([3, 1], dtype=torch.int32, device=inputs["x_q"].device)
inputs["ssm_state_indices"] = slots
inputs["intermediate_state_indices"] = slots

actual = fused_kda_decode_mtp_dspark(**inputs, validate="device")
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
