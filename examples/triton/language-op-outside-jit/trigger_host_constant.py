"""Build a mask for a reference on the host with a function of triton.language."""

import torch
import triton.language as tl

x = torch.randn(100)
inside = tl.arange(0, 128) < 100
expected = torch.where(inside, x, 0.0).sum()
