"""Run a projection on an activation with the wrong number of features."""

import torch

layer = torch.nn.Linear(256, 64)
actual = layer(torch.randn(4, 128))
