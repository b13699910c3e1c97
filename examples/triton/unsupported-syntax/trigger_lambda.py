"""SwiGLU whose activation is a lambda inside the kernel."""

import torch
import triton
import triton.language as tl


@triton.jit
def swiglu(gate, up, out, BLOCK: tl.constexpr):
    element = tl.arange(0, BLOCK)
    silu = lambda values: values * tl.sigmoid(values)  # noqa: E731 - what this example shows
    tl.store(out + element, silu(tl.load(gate + element)) * tl.load(up + element))


device = "cuda" if torch.cuda.is_available() else "cpu"
gate, up = torch.randn(2, 128, device=device)
actual = torch.empty_like(gate)
swiglu[(1,)](gate, up, actual, BLOCK=128)
expected = torch.nn.functional.silu(gate.double()) * up.double()
