"""Multiply an activation on the GPU with a weight that stayed on the CPU."""

import torch

actual = torch.randn(4, 128, device="cuda") @ torch.randn(128, 64)
