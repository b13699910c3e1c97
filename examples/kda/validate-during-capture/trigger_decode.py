"""Capture a decode step of two requests."""

import torch
from kda_kernels import kda_decode, sample_decode_inputs

inputs = sample_decode_inputs(requests=2, heads=2)
kda_decode(**inputs)  # compiles the kernel

graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    kda_decode(**inputs, validate="device")
