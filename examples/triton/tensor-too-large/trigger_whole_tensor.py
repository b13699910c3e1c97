"""Squared norm of a gradient of 1.5 million elements in one block."""

import torch
import triton
import triton.language as tl


@triton.jit
def squared_norm(x, out, elements, BLOCK: tl.constexpr):
    element = tl.arange(0, BLOCK)
    values = tl.load(x + element, mask=element < elements, other=0.0)
    tl.store(out, tl.sum(values * values, 0))


device = "cuda" if torch.cuda.is_available() else "cpu"
x = torch.randn(1_500_000, device=device)
actual = torch.empty(1, device=device)
squared_norm[(1,)](x, actual, x.numel(), BLOCK=triton.next_power_of_2(x.numel()))
expected = x.double().square().sum().reshape(1)
