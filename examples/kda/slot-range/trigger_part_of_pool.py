"""Verify two requests of a group that owns the last two of four slots."""

import torch
from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=1)
for name in ("recurrent_state", "cs_q", "cs_k", "cs_v"):
    inputs[name] = inputs[name][2:]
slots = torch.tensor([2, 3])
inputs["ssm_state_indices"] = slots.to(inputs["ssm_state_indices"])

actual = fused_kda_decode_mtp_dspark(**inputs, validate="device")
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
