"""Exponential moving average along time; the last value is kept for the next chunk."""

import torch
import triton
import triton.language as tl


@triton.jit
def moving_average(x, out, carry, steps, keep, FEATURES: tl.constexpr):
    feature = tl.arange(0, FEATURES)
    average = tl.zeros((FEATURES,), dtype=tl.float32)
    last = average
    for step in range(steps):
        average = keep * average + (1 - keep) * tl.load(x + step * FEATURES + feature)
        last = average
        tl.store(out + step * FEATURES + feature, average)
    tl.store(carry + feature, last)


device = "cuda" if torch.cuda.is_available() else "cpu"
x = torch.randn(8, 32, device=device)
averages = torch.empty_like(x)
actual = torch.empty(32, device=device)
moving_average[(1,)](x, averages, actual, 8, 0.5, FEATURES=32)
expected = torch.zeros(32, dtype=torch.float64, device=device)
for row in x.double():
    expected = 0.5 * expected + 0.5 * row
