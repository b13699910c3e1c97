"""Scale a vector by a factor that is fp32 in one branch and an integer in the other."""

import torch
import triton
import triton.language as tl


@triton.jit
def scale(x, factors, out, step, BLOCK: tl.constexpr):
    element = tl.arange(0, BLOCK)
    if step > 2:  # noqa: SIM108 - a ternary takes the dtype of both sides
        factor = tl.load(factors + step)
    else:
        factor = step
    tl.store(out + element, tl.load(x + element) * factor)


device = "cuda" if torch.cuda.is_available() else "cpu"
x = torch.randn(128, device=device)
factors = torch.rand(4, device=device)
actual = torch.empty_like(x)
scale[(1,)](x, factors, actual, 3, BLOCK=128)
expected = x.double() * factors[3].double()
