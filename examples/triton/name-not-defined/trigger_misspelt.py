"""SiLU of a row; a name in the kernel is misspelt."""

import torch
import triton
import triton.language as tl


@triton.jit
def silu(x, out, elements, BLOCK: tl.constexpr):
    element = tl.arange(0, BLOCK)
    values = tl.load(x + element, mask=element < elements)
    silu = value * tl.sigmoid(values)  # noqa: F821 - the slip that this example shows
    tl.store(out + element, silu, mask=element < elements)


device = "cuda" if torch.cuda.is_available() else "cpu"
x = torch.randn(100, device=device)
actual = torch.empty_like(x)
silu[(1,)](x, actual, 100, BLOCK=128)
expected = torch.nn.functional.silu(x.double())
