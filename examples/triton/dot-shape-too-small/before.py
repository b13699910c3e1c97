"""Scores of 16 queries against 16 keys with heads of 8 features."""

import torch
import triton
import triton.language as tl


@triton.jit
def scores(q, k, out, features, SIZE: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.arange(0, SIZE)
    feature = tl.arange(0, BLOCK)
    inside = feature < features
    tile = row[:, None] * features + feature[None, :]
    queries = tl.load(q + tile, mask=inside[None, :], other=0.0)
    keys = tl.load(k + tile, mask=inside[None, :], other=0.0)
    tl.store(out + row[:, None] * SIZE + row[None, :], tl.dot(queries, tl.trans(keys)))


device = "cuda" if torch.cuda.is_available() else "cpu"
q, k = torch.randn(2, 16, 8, device=device).half()
actual = torch.empty(16, 16, device=device)
scores[(1,)](q, k, actual, 8, SIZE=16, BLOCK=8)
expected = q.double() @ k.double().T
