"""Sum the columns of a [1024, 2048] matrix, a tile of rows at a time."""

import torch
import triton
import triton.language as tl


@triton.jit
def sum_columns(x, out, rows, COLUMNS: tl.constexpr, TILE: tl.constexpr):
    column = tl.arange(0, COLUMNS)
    total = tl.zeros((COLUMNS,), dtype=tl.float32)
    for first in range(0, rows, TILE):
        row = first + tl.arange(0, TILE)
        tile = tl.load(x + row[:, None] * COLUMNS + column[None, :])
        total += tl.sum(tile, 0)
    tl.store(out + column, total)


device = "cuda" if torch.cuda.is_available() else "cpu"
x = torch.randn(1024, 2048, device=device)
actual = torch.empty(2048, device=device)
sum_columns[(1,)](x, actual, 1024, COLUMNS=2048, TILE=1024)
expected = x.double().sum(0)
