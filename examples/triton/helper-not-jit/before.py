"""SwiGLU; the activation is an ordinary Python function beside the kernel."""

import torch
import triton
import triton.language as tl


def silu(values):
    return values * tl.sigmoid(values)


@triton.jit
def swiglu(gate, up, out, elements, BLOCK: tl.constexpr):
    element = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = element < elements
    gated = silu(tl.load(gate + element, mask=inside))
    tl.store(out + element, gated * tl.load(up + element, mask=inside), mask=inside)


device = "cuda" if torch.cuda.is_available() else "cpu"
gate, up = torch.randn(2, 300, device=device)
actual = torch.empty_like(gate)
swiglu[(3,)](gate, up, actual, 300, BLOCK=128)
expected = torch.nn.functional.silu(gate.double()) * up.double()
