"""Verify four tokens of two requests; beta and g are columns of one projection."""

import torch
from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2)
projected = torch.cat([inputs["beta"], inputs["g"].flatten(2)], dim=2)  # [1, T, 2 + 256]
inputs["beta"] = projected[..., :2]
inputs["g"] = projected[..., 2:].unflatten(2, (2, 128))

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
