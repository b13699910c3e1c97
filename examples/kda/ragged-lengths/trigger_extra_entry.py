"""Verify three tokens of each of two requests; the lists have room for a third."""

import torch
from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=3, tokens_per_request=2, heads=1)
offsets = torch.tensor([0, 3, 6, 6])
inputs["cu_seqlens"] = offsets.to(inputs["cu_seqlens"])

actual = fused_kda_decode_mtp_dspark(**inputs, validate="device")
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
