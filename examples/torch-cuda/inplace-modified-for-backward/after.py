"""Train an output gate; the activation is scaled in place after its sigmoid."""

import torch

logits = torch.randn(4, 128, requires_grad=True)
weight = torch.rand(4, 128)
s = torch.sigmoid(logits.detach().double())
expected = (weight * s * (1 - s)).double()

gate = torch.sigmoid(logits)
scaled = gate.mul(weight)
scaled.sum().backward()
actual = logits.grad
