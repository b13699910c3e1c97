"""Read a recurrent state: the queries are half precision, the state is kept in fp32."""

import torch
import triton
import triton.language as tl


@triton.jit
def read_state(q, state, out, SIZE: tl.constexpr):
    row = tl.arange(0, SIZE)
    tile = row[:, None] * SIZE + row[None, :]
    tl.store(out + tile, tl.dot(tl.load(q + tile), tl.load(state + tile)))


device = "cuda" if torch.cuda.is_available() else "cpu"
q = torch.randn(16, 16, device=device).half()
state = torch.randn(16, 16, device=device)
actual = torch.empty_like(state)
read_state[(1,)](q, state, actual, SIZE=16)
expected = q.double() @ state.double()
