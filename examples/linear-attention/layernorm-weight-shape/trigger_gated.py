"""Apply a gated RMSNorm, with one weight for all heads, to heads of 64 channels."""

import torch
from fla.modules import FusedRMSNormGated

device = "cuda" if torch.cuda.is_available() else "cpu"
out, gate = torch.randn(2, 2, 16, 4, 64, device=device)  # [B, T, H, V]
norm = FusedRMSNormGated(4 * 64, device=device)

y = norm(out, gate)
