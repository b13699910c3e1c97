"""Round fp32 to bf16 by bits; the upper half of each word is taken with a bitcast."""

import torch
import triton
import triton.language as tl


@triton.jit
def truncate(x, out, BLOCK: tl.constexpr):
    element = tl.arange(0, BLOCK)
    bits = tl.load(x + element).to(tl.int16, bitcast=True)
    tl.store(out + element, bits)


device = "cuda" if torch.cuda.is_available() else "cpu"
x = torch.randn(128, device=device)
actual = torch.empty(128, dtype=torch.int16, device=device)
truncate[(1,)](x, actual, BLOCK=128)
expected = (x.view(torch.int32) >> 16).short()
