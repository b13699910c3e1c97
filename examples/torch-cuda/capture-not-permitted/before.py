"""Capture a verify step that validates its lengths on the device."""

import torch
from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=2, heads=1)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
fused_kda_decode_mtp_dspark(**inputs)  # compile before the capture

graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    longest = inputs["cu_seqlens"].diff().max().item()
    actual = fused_kda_decode_mtp_dspark(**inputs)
graph.replay()
