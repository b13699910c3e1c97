"""Verify three requests after the scheduler swapped the last two."""

import torch
from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=3, tokens_per_request=4, heads=1)
order = [0, 2, 1, 3]
offsets = torch.arange(0, 13, 4)[order]  # 0, 8, 4, 12
inputs["cu_seqlens"] = offsets.to(inputs["cu_seqlens"])

actual = fused_kda_decode_mtp_dspark(**inputs, validate="device")
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
