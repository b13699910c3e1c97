"""Verify four tokens of each of two requests; offsets are summed from the lengths."""

import torch
from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2)
lengths = torch.tensor([0, 4, 4], device=inputs["x_q"].device)
offsets = torch.cumsum(lengths, dim=0, dtype=torch.int32)
inputs["cu_seqlens"] = offsets

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
