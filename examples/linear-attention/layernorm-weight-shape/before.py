"""Apply RMSNorm to the output of each of 4 heads of 64 channels."""

import torch
from fla.modules import RMSNorm

device = "cuda" if torch.cuda.is_available() else "cpu"
out = torch.randn(2, 16, 4, 64, device=device)  # [B, T, H, V]
norm = RMSNorm(4 * 64, device=device)

exact = out.double()
expected = exact / (exact.square().mean(-1, keepdim=True) + 1e-5).sqrt()
actual = norm(out).detach()
