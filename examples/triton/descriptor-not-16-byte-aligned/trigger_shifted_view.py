"""Copy a matrix without its first column; the view starts 2 bytes into its row."""

import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor


@triton.jit
def copy_tile(source, out, SIZE: tl.constexpr):
    row = tl.arange(0, SIZE)
    tl.store(out + row[:, None] * SIZE + row[None, :], source.load([0, 0]))


device = "cuda" if torch.cuda.is_available() else "cpu"
x = torch.randn(32, 40, device=device).half()
view = x[:, 1:33]
source = TensorDescriptor.from_tensor(view, block_shape=[32, 32])
actual = torch.empty(32, 32, device=device).half()
copy_tile[(1,)](source, actual, SIZE=32)
expected = view
