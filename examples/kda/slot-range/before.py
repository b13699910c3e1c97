"""Verify four tokens of two requests that fill a pool of two slots."""

import torch
from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2, pool_slots=2)
slots = torch.tensor([2, 1])
inputs["ssm_state_indices"] = slots.to(inputs["ssm_state_indices"])

actual = fused_kda_decode_mtp_dspark(**inputs, validate="device")
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
