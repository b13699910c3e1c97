"""Decode three tokens of two requests with one captured step, replayed for every token."""

import torch
from kda_kernels import kda_decode, reference, sample_decode_inputs

inputs = sample_decode_inputs(requests=2, heads=2)
pools = ("recurrent_state", "cs_q", "cs_k", "cs_v")
truth = inputs | {name: inputs[name].clone() for name in pools}
for _ in range(3):
    step = reference.kda_decode(**truth)
    truth |= {name: getattr(step, name) for name in pools}
expected = truth["recurrent_state"]

graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    kda_decode(**inputs)  # compiles and is recorded; no token yet
for _ in range(3):
    graph.replay()
actual = inputs["recurrent_state"]
