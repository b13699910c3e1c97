"""Verify the drafts of two requests; the drafter stopped early in the second one."""

import torch
from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2)
lengths = [4, 4]  # the missing draft token is any token; it is not committed
for name in ("x_q", "x_k", "x_v", "g", "beta"):
    inputs[name] = inputs[name][:, : sum(lengths)]
offsets = torch.tensor([0, *lengths]).cumsum(0)
inputs["cu_seqlens"] = offsets.to(inputs["cu_seqlens"])

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
