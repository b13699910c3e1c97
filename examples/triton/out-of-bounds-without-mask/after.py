"""Scale the 100 logits of the first request in place; both requests share one buffer."""

import torch
import triton
import triton.language as tl


@triton.jit
def scale_in_place(x, factor, elements, BLOCK: tl.constexpr):
    element = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    values = tl.load(x + element, mask=element < elements)
    tl.store(x + element, factor * values, mask=element < elements)


device = "cuda" if torch.cuda.is_available() else "cpu"
logits = torch.randn(2, 100, device=device)
expected = torch.stack([0.5 * logits[0].double(), logits[1].double()])
scale_in_place[(1,)](logits[0], 0.5, 100, BLOCK=128)
actual = logits
