"""Fetch two slots of a 2 GiB pool of values; keys and values share one allocation."""

import torch
import triton
import triton.language as tl


@triton.jit
def fetch_slots(pool, slots, out, stride, FEATURES: tl.constexpr):
    request = tl.program_id(0)
    feature = tl.arange(0, FEATURES)
    slot = tl.load(slots + request)
    values = tl.load(pool + slot.to(tl.int64) * stride + feature)
    tl.store(out + request * FEATURES + feature, values)


device = "cuda" if torch.cuda.is_available() else "cpu"
memory = torch.empty(2 * 2050, 2**20, dtype=torch.int8, device=device)
keys, values = memory[:2050], memory[2050:]
keys[:, :64] = -1
values[3, :64], values[2049, :64] = 3, 49
slots = torch.tensor([3, 2049], dtype=torch.int32, device=device)
actual = torch.empty(2, 64, dtype=torch.int8, device=device)
fetch_slots[(2,)](values, slots, actual, values.stride(0), FEATURES=64)
expected = values[slots.long(), :64]
