"""Read a request's gate, or use the neutral gate 1 where the slot is padding."""

import torch
import triton
import triton.language as tl


@triton.jit
def fetch_gates(pool, slots, out):
    request = tl.program_id(0)
    slot = tl.load(slots + request)
    gate = 1.0
    if slot >= 0:
        gate = tl.load(pool + slot)
    tl.store(out + request, gate)


device = "cuda" if torch.cuda.is_available() else "cpu"
pool = torch.rand(4, device=device)
slots = torch.tensor([2, -1], dtype=torch.int32, device=device)
actual = torch.empty(2, device=device)
fetch_gates[(2,)](pool, slots, actual)
expected = torch.stack([pool[2], torch.ones_like(pool[2])]).double()
