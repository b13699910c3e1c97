"""Sum the rows of a matrix that a mask keeps; the loop skips the others."""

import torch
import triton
import triton.language as tl


@triton.jit
def sum_kept(x, keep, out, rows, COLUMNS: tl.constexpr):
    column = tl.arange(0, COLUMNS)
    total = tl.zeros((COLUMNS,), dtype=tl.float32)
    for row in range(rows):
        if tl.load(keep + row) == 0:
            continue
        total += tl.load(x + row * COLUMNS + column)
    tl.store(out + column, total)


device = "cuda" if torch.cuda.is_available() else "cpu"
x = torch.randn(4, 32, device=device)
keep = torch.tensor([1, 0, 1, 1], dtype=torch.int32, device=device)
actual = torch.empty(32, device=device)
sum_kept[(1,)](x, keep, actual, 4, COLUMNS=32)
expected = (x.double() * keep[:, None]).sum(0)
