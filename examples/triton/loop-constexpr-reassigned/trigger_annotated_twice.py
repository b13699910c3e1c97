"""Sum of squares; the loop assigns an annotated constexpr again."""

import torch
import triton
import triton.language as tl


@triton.jit
def sum_of_squares(x, out, elements, BLOCK: tl.constexpr):
    total = 0.0
    first: tl.constexpr = 0
    for _ in range(tl.cdiv(elements, BLOCK)):
        element = first + tl.arange(0, BLOCK)
        values = tl.load(x + element, mask=element < elements, other=0.0)
        total += tl.sum(values * values, 0)
        first: tl.constexpr = first + BLOCK
    tl.store(out, total)


device = "cuda" if torch.cuda.is_available() else "cpu"
x = torch.randn(300, device=device)
actual = torch.empty(1, device=device)
sum_of_squares[(1,)](x, actual, 300, BLOCK=128)
expected = x.double().square().sum().reshape(1)
