"""The rounding that every bf16 store goes through."""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from kda_kernels.device_math import round_to_bf16


@triton.jit
def _round(x, out, N: tl.constexpr):  # noqa: ANN001, ANN202, values on the device have no Python types
    i = tl.arange(0, N)
    tl.store(out + i, round_to_bf16(tl.load(x + i)))


def test_rounds_to_nearest_even_as_torch_does(device: torch.device) -> None:
    ties = torch.tensor([1 + 2.0**-8, 1 + 3 * 2.0**-8, -1 - 3 * 2.0**-8, 2 + 2.0**-7])
    special = torch.tensor([0.0, -0.0, torch.inf, -torch.inf, 3.3e38, 1e-40])
    values = torch.cat([ties, special, 1000 * torch.randn(1024 - 10)]).to(device)
    out = torch.empty_like(values)
    _round[(1,)](values, out, N=1024)
    assert torch.equal(out, values.bfloat16().float())


def test_nan_stays_nan(device: torch.device) -> None:
    # The bits 0x7fffffff, which a carry would turn into a negative zero.
    values = torch.full((16,), 0x7FFFFFFF, dtype=torch.int32).view(torch.float32).to(device)
    out = torch.zeros_like(values)
    _round[(1,)](values, out, N=16)
    assert out.isnan().all()
