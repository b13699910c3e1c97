"""Length of a sequence: the kernel stores the position of the first end token and returns."""

import torch
import triton
import triton.language as tl


@triton.jit
def lengths(tokens, out, limit, END: tl.constexpr):
    row = tl.program_id(0)
    for position in range(limit):
        if tl.load(tokens + row * limit + position) == END:
            tl.store(out + row, position)
            return
    tl.store(out + row, limit)


device = "cuda" if torch.cuda.is_available() else "cpu"
tokens = torch.tensor([[5, 7, 2, 9], [3, 2, 4, 2]], dtype=torch.int32, device=device)
actual = torch.empty(2, dtype=torch.int32, device=device)
lengths[(2,)](tokens, actual, 4, END=2)
expected = torch.tensor([2, 1], dtype=torch.int32, device=device)
