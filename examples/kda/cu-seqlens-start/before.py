"""Verify the last two of four requests of four tokens each."""

import torch
from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2)
whole = torch.arange(0, 17, 4)
offsets = whole[2:]
inputs["cu_seqlens"] = offsets.to(inputs["cu_seqlens"])

actual = fused_kda_decode_mtp_dspark(**inputs, validate="device")
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
