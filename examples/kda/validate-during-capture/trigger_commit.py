"""Capture the commit of one token of two requests."""

import torch
from kda_kernels import (
    commit_after_verify,
    commit_keywords,
    fused_kda_decode_mtp_dspark,
    sample_inputs,
)

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2)
fused_kda_decode_mtp_dspark(**inputs)
keywords = commit_keywords(inputs)
keywords["accept_lens"] = torch.ones(2, dtype=torch.int32, device="cuda")
commit_after_verify(**keywords)  # compiles the kernels

graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    commit_after_verify(**keywords, validate="device")
