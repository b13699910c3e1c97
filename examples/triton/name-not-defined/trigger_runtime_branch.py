"""Fetch a request's state, or start from zero; the name is bound in one branch only."""

import torch
import triton
import triton.language as tl


@triton.jit
def fetch_state(pool, slots, out, FEATURES: tl.constexpr):
    request = tl.program_id(0)
    feature = tl.arange(0, FEATURES)
    slot = tl.load(slots + request)
    if slot >= 0:
        state = tl.load(pool + slot * FEATURES + feature)
    tl.store(out + request * FEATURES + feature, state)


device = "cuda" if torch.cuda.is_available() else "cpu"
pool = torch.randn(4, 32, device=device)
slots = torch.tensor([2, -1], dtype=torch.int32, device=device)
actual = torch.empty(2, 32, device=device)
fetch_state[(2,)](pool, slots, actual, FEATURES=32)
expected = torch.stack([pool[2], torch.zeros_like(pool[2])])
