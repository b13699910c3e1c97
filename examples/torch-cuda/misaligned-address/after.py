"""Read fp32 values from a byte buffer at an offset that 4 does not divide."""

import torch
import triton
import triton.language as tl


@triton.jit
def read_floats(buffer, out, offset, N: tl.constexpr):
    index = tl.arange(0, N)
    floats = (buffer + offset).to(tl.pointer_type(tl.float32))
    tl.store(out + index, tl.load(floats + index))


values = torch.randn(128)
offset = 16
buffer = torch.zeros(1024, dtype=torch.uint8, device="cuda")
buffer[offset : offset + 512] = values.view(torch.uint8).cuda()
out = torch.empty(128, device="cuda")
expected = values.double()

read_floats[(1,)](buffer, out, offset, N=128)
actual = out.cpu()
