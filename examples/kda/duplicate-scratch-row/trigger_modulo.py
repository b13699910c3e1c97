"""Verify four tokens of two requests; the scratch has fewer rows than the pool has slots."""

import torch
from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2)
slots = torch.tensor([0, 3], dtype=torch.int32)
inputs["ssm_state_indices"] = slots.to(inputs["x_q"].device)
inputs["intermediate_state_indices"] = (slots % 3).to(inputs["x_q"].device)

actual = fused_kda_decode_mtp_dspark(**inputs, validate="device")
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
