"""Verify four tokens of two requests; the scheduler makes the offsets from its lists."""

import torch
from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2)
inputs["cu_seqlens"] = torch.tensor([0, 4, 8], dtype=torch.int32)

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
