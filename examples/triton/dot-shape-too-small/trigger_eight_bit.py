"""Scores in int8 with 16 features: enough for 16-bit operands, too few for 8-bit ones."""

import torch
import triton
import triton.language as tl


@triton.jit
def scores(q, k, out, SIZE: tl.constexpr):
    row = tl.arange(0, SIZE)
    tile = row[:, None] * SIZE + row[None, :]
    tl.store(out + tile, tl.dot(tl.load(q + tile), tl.trans(tl.load(k + tile))))


device = "cuda" if torch.cuda.is_available() else "cpu"
q, k = torch.randint(-127, 128, (2, 16, 16), device=device, dtype=torch.int8)
actual = torch.empty(16, 16, dtype=torch.int32, device=device)
scores[(1,)](q, k, actual, SIZE=16)
expected = (q.double() @ k.double().T).int()
