"""Verify four tokens of two requests of a fresh pool of four slots."""

import torch
from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2)
slots = 3
windows = torch.zeros(slots, 3, 3 * 256).to(inputs["x_q"])
for stream, columns in zip("qkv", windows.split(256, dim=2), strict=True):
    inputs[f"cs_{stream}"] = columns.transpose(1, 2)

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
