"""Clear the lower half of each word with a mask; the words are still fp32."""

import torch
import triton
import triton.language as tl


@triton.jit
def clear_low_bits(x, out, BLOCK: tl.constexpr):
    element = tl.arange(0, BLOCK)
    tl.store(out + element, tl.load(x + element) & -65536)


device = "cuda" if torch.cuda.is_available() else "cpu"
x = torch.randn(128, device=device)
actual = torch.empty_like(x)
clear_low_bits[(1,)](x, actual, BLOCK=128)
expected = (x.view(torch.int32) & -65536).view(torch.float32)
