"""Sum of squares of each row, a block at a time; the sum starts as an integer."""

import torch
import triton
import triton.language as tl


@triton.jit
def sum_of_squares(x, out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = 0.0
    for first in range(0, columns, BLOCK):
        column = first + tl.arange(0, BLOCK)
        values = tl.load(x + row * columns + column, mask=column < columns, other=0.0)
        total += tl.sum(values * values, 0)
    tl.store(out + row, total)


device = "cuda" if torch.cuda.is_available() else "cpu"
x = torch.randn(4, 300, device=device)
actual = torch.empty(4, device=device)
sum_of_squares[(4,)](x, actual, 300, BLOCK=128)
expected = x.double().square().sum(1)
