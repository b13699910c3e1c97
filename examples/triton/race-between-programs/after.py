"""Add the gradients of 4096 tokens to the rows of their words; four words repeat."""

import torch
import triton
import triton.language as tl


@triton.jit
def add_to_words(gradients, words, out, FEATURES: tl.constexpr):
    token = tl.program_id(0)
    feature = tl.arange(0, FEATURES)
    gradient = tl.load(gradients + token * FEATURES + feature)
    row = out + tl.load(words + token) * FEATURES + feature
    tl.atomic_add(row, gradient)


gradients = torch.randn(4096, 64, device="cuda")
words = torch.arange(4096, dtype=torch.int32, device="cuda") % 4
actual = torch.zeros(4, 64, device="cuda")
add_to_words[(4096,)](gradients, words, actual, FEATURES=64)
expected = torch.zeros(4, 64, dtype=torch.float64, device="cuda")
expected.index_add_(0, words, gradients.double())
