"""Apply RMSNorm to a hidden state of 20,000 channels in fp32."""

import torch
from fla.modules import RMSNorm

device = "cuda" if torch.cuda.is_available() else "cpu"
x = torch.randn(4, 20_000, device=device)

y = RMSNorm(20_000, device=device)(x)
