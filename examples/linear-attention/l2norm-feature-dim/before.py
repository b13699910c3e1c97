"""Normalise the queries of 128 heads of 256 channels, as a projection leaves them."""

import torch
from fla.modules import L2Norm

device = "cuda" if torch.cuda.is_available() else "cpu"
tokens, heads, channels = 4, 128, 256
q = torch.randn(tokens, heads * channels, device=device)

per_head = q.double().view(tokens, heads, channels)
expected = per_head / (per_head.square().sum(-1, keepdim=True) + 1e-6).sqrt()
actual = L2Norm()(q)
