"""Sum the log decays of a whole sequence whose channels are flattened into one axis."""

import torch
from fla.ops.utils import chunk_global_cumsum

device = "cuda" if torch.cuda.is_available() else "cpu"
g = -torch.rand(1, 128, 4, 64, device=device)  # [B, T, H, K]

total = chunk_global_cumsum(g.flatten(1))
