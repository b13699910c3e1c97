"""Multiply a projection for 256 features with one vector of 128."""

import torch

device = "cuda" if torch.cuda.is_available() else "cpu"
projection = torch.randn(64, 256, device=device)
actual = projection @ torch.randn(128, device=device)
