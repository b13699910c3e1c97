"""Verify four tokens of two requests; the total stands behind the running totals."""

import torch
from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2)
totals = torch.tensor([4, 4]).cumsum(0)
offsets = torch.cat([totals, totals[-1:]])  # 4, 8, 8
inputs["cu_seqlens"] = offsets.to(inputs["cu_seqlens"])

actual = fused_kda_decode_mtp_dspark(**inputs, validate="device")
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
