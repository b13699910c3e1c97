"""Capture the verify of four tokens of two requests, then replay it."""

import torch
from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2)
fused_kda_decode_mtp_dspark(**inputs, validate="device")  # compiles the kernel
mode = "device"

graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    actual = fused_kda_decode_mtp_dspark(**inputs, validate=mode)
graph.replay()
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
