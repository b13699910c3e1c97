"""Step the optimizer between two losses of one forward pass."""

import torch

projection = torch.randn(128, 64, requires_grad=True)
optimizer = torch.optim.SGD([projection], lr=0.1)

hidden = torch.randn(4, 128, requires_grad=True)
out = hidden @ projection
out.mean().backward(retain_graph=True)
optimizer.step()
out.square().mean().backward()
