"""Verify four tokens of two requests; segments are [begin, end] pairs."""

import torch
from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2)
offsets = inputs["cu_seqlens"]
inputs["cu_seqlens"] = torch.stack((offsets[:-1], offsets[1:]), dim=1)  # [N, 2]

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
