"""Scale a vector; the grid is computed with a helper that is itself a kernel function."""

import torch
import triton
import triton.language as tl


@triton.jit
def ceil_div(a, b):
    return (a + b - 1) // b


@triton.jit
def scale(x, out, factor, elements, BLOCK: tl.constexpr):
    element = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = element < elements
    tl.store(out + element, factor * tl.load(x + element, mask=inside), mask=inside)


device = "cuda" if torch.cuda.is_available() else "cpu"
x = torch.randn(1000, device=device)
actual = torch.empty_like(x)
scale[(ceil_div(1000, 256),)](x, actual, 0.5, 1000, BLOCK=256)
expected = 0.5 * x.double()
