"""Sum the tokens of each request; the length of a request is read from cu_seqlens."""

import torch
import triton
import triton.language as tl


@triton.jit
def sum_requests(x, cu_seqlens, out):
    request = tl.program_id(0)
    first = tl.load(cu_seqlens + request)
    length = tl.load(cu_seqlens + request + 1) - first
    token = tl.arange(0, length)
    tl.store(out + request, tl.sum(tl.load(x + first + token), 0))


device = "cuda" if torch.cuda.is_available() else "cpu"
x = torch.randn(12, device=device)
cu_seqlens = torch.tensor([0, 8, 12], dtype=torch.int32, device=device)
actual = torch.empty(2, device=device)
sum_requests[(2,)](x, cu_seqlens, actual)
expected = torch.stack([x[:8].double().sum(), x[8:].double().sum()])
