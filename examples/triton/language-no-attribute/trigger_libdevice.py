"""Exponential linear unit with the libdevice of Triton 2.0."""

import torch
import triton
import triton.language as tl


@triton.jit
def elu(x, out, BLOCK: tl.constexpr):
    element = tl.arange(0, BLOCK)
    values = tl.load(x + element)
    tl.store(out + element, tl.where(values > 0, values, tl.libdevice.expm1(values)))


device = "cuda" if torch.cuda.is_available() else "cpu"
x = torch.randn(128, device=device)
actual = torch.empty_like(x)
elu[(1,)](x, actual, BLOCK=128)
expected = torch.nn.functional.elu(x.double())
