"""Add an optional bias to a row; this layer has none and passes None."""

import torch
import triton
import triton.language as tl


@triton.jit
def add_scalar_bias(x, bias, out, BLOCK: tl.constexpr):
    element = tl.arange(0, BLOCK)
    tl.store(out + element, tl.load(x + element) + tl.load(bias))


device = "cuda" if torch.cuda.is_available() else "cpu"
x = torch.randn(64, device=device)
actual = torch.empty_like(x)
add_scalar_bias[(1,)](x, None, actual, BLOCK=64)
expected = x.double()
