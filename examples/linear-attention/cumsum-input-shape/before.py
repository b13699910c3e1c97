"""Sum the log decays of one sequence within chunks of 64 tokens."""

import torch
from fla.ops.utils import chunk_local_cumsum

device = "cuda" if torch.cuda.is_available() else "cpu"
g = -torch.rand(128, 4, device=device)  # 128 tokens, 4 heads

expected = g.double().view(2, 64, 4).cumsum(1).view(1, 128, 4)
actual = chunk_local_cumsum(g, chunk_size=64)
