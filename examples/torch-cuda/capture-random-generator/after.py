"""Capture a sampling step with a generator of its own."""

import torch

generator = torch.Generator(device="cuda").manual_seed(7)
graph = torch.cuda.CUDAGraph()
graph.register_generator_state(generator)
probabilities = torch.zeros(4, 16, device="cuda")
probabilities[:, 5] = 1.0
expected = [5, 5, 5, 5]
torch.cuda.synchronize()

with torch.cuda.graph(graph):
    noise = torch.empty_like(probabilities).exponential_(generator=generator)
    tokens = (probabilities / noise).argmax(-1)
graph.replay()
actual = tokens.tolist()
