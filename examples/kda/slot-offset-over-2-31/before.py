"""Read the state of one request from a pool whose slots lie 256 MB apart."""

import torch
import triton
import triton.language as tl


@triton.jit
def read_slots(pool, slots, out, pitch, SIZE: tl.constexpr):
    slot = tl.load(slots + tl.program_id(0))
    index = tl.arange(0, SIZE)
    values = tl.load(pool + slot * pitch + index)
    tl.store(out + tl.program_id(0) * SIZE + index, values)


pitch = 2**27 + 12344  # bf16 elements from slot to slot; layers share the pool
pool = torch.zeros(33, pitch, dtype=torch.bfloat16, device="cuda")
pool[32, :128] = torch.randn(128)
slots = torch.tensor([32], dtype=torch.int32, device="cuda")
out = torch.empty(1, 128, dtype=torch.bfloat16, device="cuda")
expected = pool[32, :128].double().cpu()

read_slots[(1,)](pool, slots, out, pitch, SIZE=128)
actual = out[0].cpu()
