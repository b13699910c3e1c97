"""Sum rows; the loop lets go of its temporary by setting it to None."""

import torch
import triton
import triton.language as tl


@triton.jit
def column_sums(x, out, rows, COLUMNS: tl.constexpr):
    column = tl.arange(0, COLUMNS)
    values = tl.load(x + column)
    total = values
    for row in range(1, rows):
        values = tl.load(x + row * COLUMNS + column)
        total += values
        values = None
    tl.store(out + column, total)


device = "cuda" if torch.cuda.is_available() else "cpu"
x = torch.randn(8, 32, device=device)
actual = torch.empty(32, device=device)
column_sums[(1,)](x, actual, 8, COLUMNS=32)
expected = x.double().sum(0)
