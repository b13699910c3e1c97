"""Matrix product with tiles of 128 x 256 in a software pipeline."""

import torch
import triton
import triton.language as tl


@triton.jit
def matmul(a, b, c, K, M: tl.constexpr, N: tl.constexpr, BLOCK_K: tl.constexpr):
    row = tl.arange(0, M)[:, None]
    column = tl.arange(0, N)[None, :]
    inner = tl.arange(0, BLOCK_K)
    total = tl.zeros((M, N), dtype=tl.float32)
    for first in range(0, K, BLOCK_K):
        left = tl.load(a + row * K + first + inner[None, :])
        right = tl.load(b + (first + inner[:, None]) * N + column)
        total = tl.dot(left, right, total)
    tl.store(c + row * N + column, total)


device = "cuda" if torch.cuda.is_available() else "cpu"
a = torch.randn(128, 512, device=device).half()
b = torch.randn(512, 256, device=device).half()
actual = torch.empty(128, 256, device=device)
matmul[(1,)](a, b, actual, 512, M=128, N=256, BLOCK_K=64, num_stages=3, num_warps=8)
expected = a.double() @ b.double()
