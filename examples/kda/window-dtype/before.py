"""Verify four tokens of two requests; windows and state share one cache dtype."""

import torch
from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2)
cache_dtype = torch.float32
for name in ("cs_q", "cs_k", "cs_v"):
    inputs[name] = inputs[name].to(cache_dtype)

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
