"""The first launch in a shell whose CC names a compiler that does not work."""

import os

os.environ["CC"] = "/bin/false"

import torch
import triton
import triton.language as tl


@triton.jit
def scale(x, out, factor, BLOCK: tl.constexpr):
    element = tl.arange(0, BLOCK)
    tl.store(out + element, factor * tl.load(x + element))


x = torch.randn(128, device="cuda")
actual = torch.empty_like(x)
scale[(1,)](x, actual, 0.5, BLOCK=128)
expected = 0.5 * x.double()
