"""Complete keyword arguments for the verify op, in the memory layouts that a server has."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

HEAD_DIM = 128
SLOT_PADDING = 12
"""fp32 elements between two slots of the state pool: legal (a multiple of 16 bytes), and it keeps
the slot pitch from being a power of two, where wrong address arithmetic can go unnoticed."""


def sample_inputs(
    *,
    requests: int = 2,
    tokens_per_request: int = 4,
    heads: int = 2,
    rings: bool = False,
    output_norm: bool = False,
    pool_slots: int | None = None,
    device: str | torch.device | None = None,
) -> dict[str, Any]:
    """Random valid keyword arguments of `fused_kda_decode_mtp_dspark`.

    As in a server, x_q, x_k and x_v are column slices of one packed projection, the convolution
    windows are transposed views of one packed pool, slots of the state pool are padded, and the
    requests use slots and scratch rows in random order. Everything that the op is to write holds
    NaN. The numbers come from torch's global CPU generator, so `torch.manual_seed` fixes them on
    every device.

    Args:
        requests: N.
        tokens_per_request: T1, one plus the draft tokens.
        heads: H.
        rings: give the four ReplaySSM rings, of length 2 * T1, in place of the snapshot scratch.
        output_norm: give the arguments of the fused gated RMSNorm.
        pool_slots: P, at least `requests`; by default two more.
        device: by default a GPU if torch sees one, else the CPU.

    Returns:
        The keywords, with `lower_bound` and `scale` as Kimi K3 uses them.
    """
    N, T1, H = requests, tokens_per_request, heads
    P = N + 2 if pool_slots is None else pool_slots
    T, C, R = N * T1, H * HEAD_DIM, N + 1
    place = torch.device(device or ("cuda" if torch.cuda.is_available() else "cpu"))

    def normal(*shape: int, scale: float = 1.0, dtype: torch.dtype = torch.float32) -> Tensor:
        return (scale * torch.randn(shape)).to(place, dtype)

    def poisoned(*shape: int, dtype: torch.dtype = torch.float32) -> Tensor:
        return torch.full(shape, torch.nan, dtype=dtype, device=place)

    bf16 = torch.bfloat16
    inputs: dict[str, Any] = {}
    projection = normal(1, T, 3 * C, dtype=bf16)
    windows = normal(P, 3, 3 * C, dtype=bf16)
    for i, stream in enumerate("qkv"):
        columns = slice(i * C, (i + 1) * C)
        inputs[f"x_{stream}"] = projection[..., columns].view(1, T, H, HEAD_DIM)
        inputs[f"w_{stream}"] = normal(C, 4, scale=0.5)
        inputs[f"cs_{stream}"] = windows[..., columns].transpose(1, 2)
    inputs |= {
        "g": normal(1, T, H, HEAD_DIM, dtype=bf16),
        "beta": normal(1, T, H, dtype=bf16),
        "A_log": normal(H),
        "dt_bias": normal(C),
        "recurrent_state": _padded_pool(normal(P, H, HEAD_DIM, HEAD_DIM)),
        "intermediate_ssm": None if rings else poisoned(R, T1, H, HEAD_DIM, HEAD_DIM),
        "intermediate_state_indices": torch.randperm(R)[:N].to(place, torch.int32),
        "ssm_state_indices": torch.randperm(P)[:N].to(place, torch.int32),
        "cu_seqlens": torch.arange(0, T + 1, T1, dtype=torch.int32, device=place),
        "lower_bound": -5.0,
        "scale": None,
    }
    for stream in "qkv":
        inputs[f"intermediate_conv_{stream}"] = poisoned(R, T1, C, 3, dtype=bf16)
    if rings:
        L = 2 * T1
        inputs |= {
            "replayssm_rawv": poisoned(P, H, L, HEAD_DIM, dtype=bf16),
            "replayssm_rawk": poisoned(P, H, L, HEAD_DIM, dtype=bf16),
            "replayssm_g": poisoned(P, H, L, HEAD_DIM),
            "replayssm_beta": poisoned(P, H, L),
        }
    if output_norm:
        inputs |= {
            "onorm_gate": normal(1, T, H, HEAD_DIM, dtype=bf16),
            "onorm_weight": normal(HEAD_DIM),
            "onorm_eps": 1e-5,
        }
    return inputs


def _padded_pool(state: Tensor) -> Tensor:
    """The same slots with NaN between them."""
    P, H = state.shape[:2]
    size = state[0].numel()
    pool = torch.full((P, size + SLOT_PADDING), torch.nan, device=state.device)
    view = pool[:, :size].view(P, H, HEAD_DIM, HEAD_DIM)
    return view.copy_(state)
