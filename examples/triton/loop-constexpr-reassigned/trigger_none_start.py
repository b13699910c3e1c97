"""Largest value of each column; None stands for "nothing seen yet" before the loop."""

import torch
import triton
import triton.language as tl


@triton.jit
def column_maxima(x, out, rows, COLUMNS: tl.constexpr):
    column = tl.arange(0, COLUMNS)
    largest = None
    for row in range(rows):
        values = tl.load(x + row * COLUMNS + column)
        largest = values if largest is None else tl.maximum(largest, values)
    tl.store(out + column, largest)


device = "cuda" if torch.cuda.is_available() else "cpu"
x = torch.randn(8, 32, device=device)
actual = torch.empty(32, device=device)
column_maxima[(1,)](x, actual, 8, COLUMNS=32)
expected = x.double().amax(0)
