"""Mean of tokens in half precision; the accumulator is fp16 and the decayed sum is fp32."""

import torch
import triton
import triton.language as tl


@triton.jit
def decayed_sum(x, decay, out, tokens, FEATURES: tl.constexpr):
    feature = tl.arange(0, FEATURES)
    total = tl.zeros((FEATURES,), dtype=tl.float16)
    for token in range(tokens):
        total = total * tl.load(decay + token) + tl.load(x + token * FEATURES + feature)
    tl.store(out + feature, total)


device = "cuda" if torch.cuda.is_available() else "cpu"
x = torch.randn(8, 32, device=device).half()
decay = torch.rand(8, device=device)
actual = torch.empty(32, device=device)
decayed_sum[(1,)](x, decay, actual, 8, FEATURES=32)
expected = torch.zeros(32, dtype=torch.float64, device=device)
for row, factor in zip(x.double(), decay.double(), strict=True):
    expected = expected * factor + row
