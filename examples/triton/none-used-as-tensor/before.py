"""Decay a state and add one token; the first call has no state yet and passes None."""

import torch
import triton
import triton.language as tl


@triton.jit
def step(initial, x, out, decay, FEATURES: tl.constexpr):
    feature = tl.arange(0, FEATURES)
    state = tl.load(initial + feature)
    tl.store(out + feature, decay * state + tl.load(x + feature))


device = "cuda" if torch.cuda.is_available() else "cpu"
x = torch.randn(64, device=device)
actual = torch.empty_like(x)
step[(1,)](None, x, actual, 0.5, FEATURES=64)
expected = x.double()
