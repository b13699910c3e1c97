"""Mean of rows of 96 features; the accumulator is created with the row's own width."""

import torch
import triton
import triton.language as tl


@triton.jit
def mean_of_rows(x, out, rows, FEATURES: tl.constexpr, BLOCK: tl.constexpr):
    feature = tl.arange(0, BLOCK)
    inside = feature < FEATURES
    total = tl.zeros((FEATURES,), dtype=tl.float32)
    for row in range(rows):
        total += tl.load(x + row * FEATURES + feature, mask=inside, other=0.0)
    tl.store(out + feature, total / rows, mask=inside)


device = "cuda" if torch.cuda.is_available() else "cpu"
x = torch.randn(4, 96, device=device)
actual = torch.empty(96, device=device)
mean_of_rows[(1,)](x, actual, 4, FEATURES=96, BLOCK=128)
expected = x.double().mean(0)
