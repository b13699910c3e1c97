"""Gather rows of a table; an index lies far outside of it, and the kernel checks its indices."""

import torch
import triton
import triton.language as tl


@triton.jit
def gather_rows(table, indices, out, rows, ROW: tl.constexpr):
    row = tl.load(indices + tl.program_id(0)).to(tl.int64)
    tl.device_assert((row >= 0) & (row < rows), "an index is outside of the table")
    column = tl.arange(0, ROW)
    tl.store(out + tl.program_id(0) * ROW + column, tl.load(table + row * ROW + column))


table = torch.randn(16, 128, device="cuda")
indices = torch.tensor([3, 1, 2**40], device="cuda")
out = torch.empty(3, 128, device="cuda")

gather_rows[(3,)](table, indices, out, len(table), ROW=128)
actual = out.cpu()
