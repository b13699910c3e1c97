"""Copy a matrix of 30 half-precision columns through a tensor descriptor."""

import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor


@triton.jit
def copy_tile(source, out, rows, columns, SIZE: tl.constexpr):
    tile = source.load([0, 0])
    row = tl.arange(0, SIZE)[:, None]
    column = tl.arange(0, SIZE)[None, :]
    inside = (row < rows) & (column < columns)
    tl.store(out + row * columns + column, tile, mask=inside)


device = "cuda" if torch.cuda.is_available() else "cpu"
x = torch.randn(32, 30, device=device).half()
rows = torch.nn.functional.pad(x, (0, 2))[:, :30]
source = TensorDescriptor.from_tensor(rows, block_shape=[32, 32])
actual = torch.empty_like(x)
copy_tile[(1,)](source, actual, 32, 30, SIZE=32)
expected = x
