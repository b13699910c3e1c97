"""Prefix sums a block at a time; the loop advances its start, which is a constexpr argument."""

import torch
import triton
import triton.language as tl


@triton.jit
def running_sums(x, out, elements, first, BLOCK: tl.constexpr):
    carried = 0.0
    for _ in range(tl.cdiv(elements, BLOCK)):
        element = first + tl.arange(0, BLOCK)
        values = tl.load(x + element, mask=element < elements, other=0.0)
        tl.store(out + element, carried + tl.cumsum(values, 0), mask=element < elements)
        carried += tl.sum(values, 0)
        first += BLOCK


device = "cuda" if torch.cuda.is_available() else "cpu"
x = torch.randn(300, device=device)
actual = torch.empty_like(x)
running_sums[(1,)](x, actual, 300, first=0, BLOCK=128)
expected = x.double().cumsum(0)
