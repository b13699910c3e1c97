"""Copy four half-precision columns of a matrix through a descriptor made in the kernel."""

import torch
import triton
import triton.language as tl


@triton.jit
def copy_columns(x, out, rows, columns, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    source = tl.make_tensor_descriptor(x, [rows, columns], [columns, 1], [ROWS, COLUMNS])
    row = tl.arange(0, ROWS)[:, None]
    column = tl.arange(0, COLUMNS)[None, :]
    tl.store(out + row * COLUMNS + column, source.load([0, 0]))


device = "cuda" if torch.cuda.is_available() else "cpu"
x = torch.randn(32, 32, device=device).half()
actual = torch.empty(32, 4, device=device).half()
copy_columns[(1,)](x, actual, 32, 32, ROWS=32, COLUMNS=4)
expected = x[:, :4]
