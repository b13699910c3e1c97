"""Mean over the tokens of a chunk; the count is cast to fp32 and happens to be 1."""

import torch
import triton
import triton.language as tl


@triton.jit
def mean_over_tokens(x, out, tokens, FEATURES: tl.constexpr):
    feature = tl.arange(0, FEATURES)
    total = tl.zeros((FEATURES,), dtype=tl.float32)
    for token in range(tokens):
        total += tl.load(x + token * FEATURES + feature)
    tl.store(out + feature, total / tl.cast(tokens, tl.float32))


device = "cuda" if torch.cuda.is_available() else "cpu"
x = torch.randn(1, 64, device=device)
actual = torch.empty(64, device=device)
mean_over_tokens[(1,)](x, actual, 1, FEATURES=64)
expected = x.double().mean(0)
