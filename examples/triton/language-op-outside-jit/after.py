"""Scale a vector; the kernel lacks its decorator and is called like a function."""

import torch
import triton
import triton.language as tl


@triton.jit
def scale(x, out, factor, elements, BLOCK: tl.constexpr):
    element = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = element < elements
    tl.store(out + element, factor * tl.load(x + element, mask=inside), mask=inside)


device = "cuda" if torch.cuda.is_available() else "cpu"
x = torch.randn(300, device=device)
actual = torch.empty_like(x)
scale[(3,)](x, actual, 0.5, 300, BLOCK=128)
expected = 0.5 * x.double()
