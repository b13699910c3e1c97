"""Compute an output gate on the GPU with a CPU build of torch."""

import torch

device = "cuda"
logits = torch.randn(4, 128)
expected = torch.sigmoid(logits.double())

actual = torch.sigmoid(logits.to(device)).cpu()
