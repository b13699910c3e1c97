"""GELU in its tanh form; the kernel was written for Triton 2, where tl.math had tanh."""

import torch
import triton
import triton.language as tl


@triton.jit
def gelu(x, out, elements, BLOCK: tl.constexpr):
    element = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = element < elements
    values = tl.load(x + element, mask=inside)
    inner = 0.7978845608028654 * (values + 0.044715 * values * values * values)
    tanh = tl.math.tanh(inner)
    tl.store(out + element, 0.5 * values * (1.0 + tanh), mask=inside)


device = "cuda" if torch.cuda.is_available() else "cpu"
x = torch.randn(300, device=device)
actual = torch.empty_like(x)
gelu[(3,)](x, actual, 300, BLOCK=128)
expected = torch.nn.functional.gelu(x.double(), approximate="tanh")
