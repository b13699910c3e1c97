"""Capture a step that copies its result to the host."""

import torch

x = torch.randn(4, 128, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    actual = torch.sigmoid(x).cpu()
