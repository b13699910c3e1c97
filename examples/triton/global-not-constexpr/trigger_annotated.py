"""Scale a vector; the block size is a module constant that is annotated but not a constexpr."""

import torch
import triton
import triton.language as tl

BLOCK: tl.constexpr = 128


@triton.jit
def scale(x, out, factor):
    element = tl.arange(0, BLOCK)
    tl.store(out + element, factor * tl.load(x + element))


device = "cuda" if torch.cuda.is_available() else "cpu"
x = torch.randn(128, device=device)
actual = torch.empty_like(x)
scale[(1,)](x, actual, 0.5)
expected = 0.5 * x.double()
