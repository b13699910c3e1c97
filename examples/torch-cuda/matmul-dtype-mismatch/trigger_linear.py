"""Run a bf16 activation through a linear layer that was left in fp32."""

import torch

device = "cuda" if torch.cuda.is_available() else "cpu"
layer = torch.nn.Linear(128, 64).to(device)
actual = layer(torch.randn(2, 128, device=device, dtype=torch.bfloat16))
