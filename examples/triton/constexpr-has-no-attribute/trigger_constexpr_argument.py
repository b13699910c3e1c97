"""Mean of rows; the number of columns is a constexpr that is cast like a tensor."""

import torch
import triton
import triton.language as tl


@triton.jit
def row_means(x, out, COLUMNS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    values = tl.load(x + row * COLUMNS + column, mask=column < COLUMNS, other=0.0)
    tl.store(out + row, tl.sum(values, 0) / COLUMNS.to(tl.float32))


device = "cuda" if torch.cuda.is_available() else "cpu"
x = torch.randn(4, 100, device=device)
actual = torch.empty(4, device=device)
row_means[(4,)](x, actual, COLUMNS=100, BLOCK=128)
expected = x.double().mean(1)
