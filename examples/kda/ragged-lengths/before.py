"""Verify the drafts of two requests; the drafter stopped early in the first one."""

import torch
from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2)
lengths = [2, 4]
tokens = torch.cat([torch.arange(n) + 4 * request for request, n in enumerate(lengths)])
for name in ("x_q", "x_k", "x_v", "g", "beta"):
    inputs[name] = inputs[name][:, tokens]
offsets = torch.tensor([0, *lengths]).cumsum(0)
inputs["cu_seqlens"] = offsets.to(inputs["cu_seqlens"])

actual = fused_kda_decode_mtp_dspark(**inputs, validate="device")
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
