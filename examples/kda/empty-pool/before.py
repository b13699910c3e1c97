"""Verify four tokens of two requests with a pool that fits a budget of one MiB."""

import torch
from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2)
budget = 1
slots = budget // (4 * 2 * 128 * 128)
inputs["recurrent_state"] = torch.zeros(slots, 2, 128, 128, device=inputs["x_q"].device)
for stream in "qkv":
    inputs[f"cs_{stream}"] = torch.zeros(slots, 256, 3).to(inputs["x_q"])

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
