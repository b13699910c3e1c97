"""A tuned kernel in the interpreter: choosing among configurations needs a GPU to time them."""

import os

os.environ["TRITON_INTERPRET"] = "1"

import torch
import triton
import triton.language as tl


@triton.autotune([triton.Config({"BLOCK": 128}), triton.Config({"BLOCK": 256})], key=["elements"])
@triton.jit
def scale(x, out, factor, elements, BLOCK: tl.constexpr):
    element = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = element < elements
    tl.store(out + element, factor * tl.load(x + element, mask=inside), mask=inside)


x = torch.randn(300)
actual = torch.empty_like(x)
scale[lambda chosen: (triton.cdiv(300, chosen["BLOCK"]),)](x, actual, 0.5, 300)
expected = 0.5 * x.double()
