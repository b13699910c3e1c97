"""Scale a vector by a factor that is fp32 on one side of a conditional expression."""

import torch
import triton
import triton.language as tl


@triton.jit
def scale(x, factors, out, step, BLOCK: tl.constexpr):
    element = tl.arange(0, BLOCK)
    factor = tl.load(factors + step) if step > 2 else 1
    tl.store(out + element, tl.load(x + element) * factor)


device = "cuda" if torch.cuda.is_available() else "cpu"
x = torch.randn(128, device=device)
factors = torch.rand(4, device=device)
actual = torch.empty_like(x)
scale[(1,)](x, factors, actual, 3, BLOCK=128)
expected = x.double() * factors[3].double()
