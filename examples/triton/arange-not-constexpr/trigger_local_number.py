"""Sum of squares; the block's width is an ordinary number assigned inside the kernel."""

import torch
import triton
import triton.language as tl


@triton.jit
def sum_of_squares(x, out, elements):
    width = 128
    element = tl.arange(0, width)
    values = tl.load(x + element, mask=element < elements, other=0.0)
    tl.store(out, tl.sum(values * values, 0))


device = "cuda" if torch.cuda.is_available() else "cpu"
x = torch.randn(100, device=device)
actual = torch.empty(1, device=device)
sum_of_squares[(1,)](x, actual, 100)
expected = x.double().square().sum().reshape(1)
