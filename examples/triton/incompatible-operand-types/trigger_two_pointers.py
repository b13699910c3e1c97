"""Gather rows by slot; the slot table is added to the pool's address without being loaded."""

import torch
import triton
import triton.language as tl


@triton.jit
def gather(pool, slots, out, FEATURES: tl.constexpr):
    request = tl.program_id(0)
    feature = tl.arange(0, FEATURES)
    row = tl.load(pool + (slots + request) * FEATURES + feature)
    tl.store(out + request * FEATURES + feature, row)


device = "cuda" if torch.cuda.is_available() else "cpu"
pool = torch.randn(4, 32, device=device)
slots = torch.tensor([2, 0], dtype=torch.int32, device=device)
actual = torch.empty(2, 32, device=device)
gather[(2,)](pool, slots, actual, FEATURES=32)
expected = pool[[2, 0]].double()
