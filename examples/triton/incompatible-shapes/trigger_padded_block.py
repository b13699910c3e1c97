"""Add a bias to rows of 48 features; one block is padded to 64 lanes, the other is 32 wide."""

import torch
import triton
import triton.language as tl


@triton.jit
def add_bias(x, bias, out, features, BLOCK: tl.constexpr, BIAS_BLOCK: tl.constexpr):
    row = tl.program_id(0)
    feature = tl.arange(0, BLOCK)
    bias_feature = tl.arange(0, BIAS_BLOCK)
    values = tl.load(x + row * features + feature, mask=feature < features)
    values += tl.load(bias + bias_feature, mask=bias_feature < features)
    tl.store(out + row * features + feature, values, mask=feature < features)


device = "cuda" if torch.cuda.is_available() else "cpu"
x = torch.randn(4, 48, device=device)
bias = torch.randn(48, device=device)
actual = torch.empty_like(x)
add_bias[(4,)](x, bias, actual, 48, BLOCK=64, BIAS_BLOCK=32)
expected = x.double() + bias.double()
