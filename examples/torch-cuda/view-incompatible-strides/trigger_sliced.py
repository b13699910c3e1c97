"""Flatten a column slice of a packed projection."""

import torch

packed = torch.randn(4, 768)
actual = packed[:, :256].view(-1)
