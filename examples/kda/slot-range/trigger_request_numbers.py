"""Verify requests number 1041 and 1042."""

import torch
from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=1)
numbers = torch.tensor([1041, 1042])
inputs["ssm_state_indices"] = numbers.to(inputs["ssm_state_indices"])

actual = fused_kda_decode_mtp_dspark(**inputs, validate="device")
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
