"""Scale the rows of a [32, 64] state by a decay; the decay lies along the wrong axis."""

import torch
import triton
import triton.language as tl


@triton.jit
def decay_rows(state, decay, out, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    row = tl.arange(0, ROWS)
    column = tl.arange(0, COLUMNS)
    tile = row[:, None] * COLUMNS + column[None, :]
    factor = tl.load(decay + row)
    tl.store(out + tile, tl.load(state + tile) * factor[:, None])


device = "cuda" if torch.cuda.is_available() else "cpu"
state = torch.randn(32, 64, device=device)
decay = torch.rand(32, device=device)
actual = torch.empty_like(state)
decay_rows[(1,)](state, decay, actual, ROWS=32, COLUMNS=64)
expected = state.double() * decay.double()[:, None]
