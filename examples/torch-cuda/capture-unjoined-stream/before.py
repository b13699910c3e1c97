"""Capture a step that computes its gate on a second stream."""

import torch

x = torch.randn(4, 128, device="cuda")
expected = torch.sigmoid(x.double()).cpu()
side, graph = torch.cuda.Stream(), torch.cuda.CUDAGraph()

with torch.cuda.graph(graph):
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        gate = torch.sigmoid(x)
graph.replay()
actual = gate.cpu()
