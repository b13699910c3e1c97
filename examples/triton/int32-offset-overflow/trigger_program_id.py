"""Copy every 2**20th byte of a 2 GiB pool; the offset comes from the program's number."""

import torch
import triton
import triton.language as tl


@triton.jit
def first_of_rows(pool, out, STRIDE: tl.constexpr):
    row = tl.program_id(0)
    tl.store(out + row, tl.load(pool + row * STRIDE))


device = "cuda" if torch.cuda.is_available() else "cpu"
memory = torch.zeros(2 * 2050, 2**20, dtype=torch.int8, device=device)
keys, values = memory[:2050], memory[2050:]
values[:, 0] = 1
actual = torch.empty(2050, dtype=torch.int8, device=device)
first_of_rows[(2050,)](values, actual, STRIDE=2**20)
expected = values[:, 0]
