"""Add a bias that stayed on the CPU to gate logits on the GPU."""

import torch

logits = torch.randn(4, 128, device="cuda")
bias = torch.randn(128, device="cuda")
expected = logits.double().cpu() + bias.double().cpu()

actual = (logits + bias).cpu()
