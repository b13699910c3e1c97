"""Copy a tile through a tensor descriptor with a function that later releases renamed."""

import torch
import triton
import triton.language as tl


@triton.jit
def copy_tile(source, out, SIZE: tl.constexpr):
    tile = tl._experimental_descriptor_load(source, [0, 0], [SIZE, SIZE], tl.float32)
    row = tl.arange(0, SIZE)
    tl.store(out + row[:, None] * SIZE + row[None, :], tile)


device = "cuda" if torch.cuda.is_available() else "cpu"
x = torch.randn(32, 32, device=device)
actual = torch.empty_like(x)
copy_tile[(1,)](x, actual, SIZE=32)
expected = x.double()
