"""Shift a sequence by one block in place; a program's input is its neighbour's output."""

import torch
import triton
import triton.language as tl


@triton.jit
def shift(x, BLOCK: tl.constexpr):
    element = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + BLOCK + element, tl.load(x + element))


x = torch.arange(4097 * 128, dtype=torch.float32, device="cuda")
expected = torch.cat([x[:128], x[:-128]]).double()
shift[(4096,)](x, BLOCK=128)
actual = x
