"""Difference of neighbouring elements; the range starts at 1, which leaves 127 of 128 lanes."""

import torch
import triton
import triton.language as tl


@triton.jit
def differences(x, out, BLOCK: tl.constexpr):
    right = tl.arange(1, BLOCK)
    tl.store(out + right - 1, tl.load(x + right) - tl.load(x + right - 1))


device = "cuda" if torch.cuda.is_available() else "cpu"
x = torch.randn(128, device=device)
actual = torch.empty(127, device=device)
differences[(1,)](x, actual, BLOCK=128)
expected = x.double().diff()
