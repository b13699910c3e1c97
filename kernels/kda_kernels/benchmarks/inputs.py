"""Inputs at production sizes, drawn on the GPU, in the layouts that a server has.

x is one packed projection, windows and their scratch are transposed views of pools whose channels
are contiguous, requests use slots in random order, and everything to be written holds NaN.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

D = 128
RING_LENGTH = 16


def _normal(*shape: int, dtype: torch.dtype = torch.float32) -> Tensor:
    return torch.randn(shape, device="cuda").to(dtype)


def _poisoned(*shape: int, dtype: torch.dtype = torch.float32) -> Tensor:
    return torch.full(shape, torch.nan, device="cuda", dtype=dtype)


def _indices(N: int, pool: int) -> Tensor:
    return torch.randperm(pool, device="cuda")[:N].to(torch.int32)


def _common(N: int, T: int, H: int, P: int) -> dict[str, Any]:
    C, bf16 = H * D, torch.bfloat16
    inputs: dict[str, Any] = {}
    projection = _normal(1, T, 3 * C, dtype=bf16)
    windows = _normal(P, 3, 3 * C, dtype=bf16)
    for i, stream in enumerate("qkv"):
        columns = slice(i * C, (i + 1) * C)
        inputs[f"x_{stream}"] = projection[..., columns].view(1, T, H, D)
        inputs[f"w_{stream}"] = 0.5 * _normal(C, 4)
        inputs[f"cs_{stream}"] = windows[..., columns].transpose(1, 2)
    return inputs | {
        "g": _normal(1, T, H, D, dtype=bf16),
        "beta": _normal(1, T, H, dtype=bf16),
        "A_log": _normal(H),
        "dt_bias": _normal(C),
        "recurrent_state": _normal(P, H, D, D),
        "ssm_state_indices": _indices(N, P),
        "lower_bound": -5.0,
        "onorm_gate": _normal(1, T, H, D, dtype=bf16),
        "onorm_weight": _normal(D),
        "onorm_eps": 1e-5,
    }


def verify_inputs(N: int, T1: int, H: int, *, rings: bool) -> dict[str, Any]:
    """Keywords of `fused_kda_decode_mtp_dspark` with the output norm."""
    P, R, C, bf16 = N + 2, N + 1, H * D, torch.bfloat16
    inputs = _common(N, N * T1, H, P)
    scratch = _poisoned(R, T1, 3, 3 * C, dtype=bf16)
    for i, stream in enumerate("qkv"):
        columns = scratch[..., i * C : (i + 1) * C]
        inputs[f"intermediate_conv_{stream}"] = columns.transpose(2, 3)
    inputs |= {
        "intermediate_ssm": None if rings else _poisoned(R, T1, H, D, D),
        "intermediate_state_indices": _indices(N, R),
        "cu_seqlens": torch.arange(N + 1, device="cuda", dtype=torch.int32) * T1,
    }
    if rings:
        L = RING_LENGTH
        inputs |= {
            "replayssm_rawv": _poisoned(P, H, L, D, dtype=bf16),
            "replayssm_rawk": _poisoned(P, H, L, D, dtype=bf16),
            "replayssm_g": _poisoned(P, H, L, D),
            "replayssm_beta": _poisoned(P, H, L),
        }
    return inputs


def first_requests(inputs: dict[str, Any], count: int, T1: int) -> dict[str, Any]:
    """The same call for the first `count` requests alone."""
    part = dict(inputs)
    for name in ("x_q", "x_k", "x_v", "g", "beta", "onorm_gate"):
        part[name] = inputs[name][:, : count * T1]
    for name in ("ssm_state_indices", "intermediate_state_indices"):
        part[name] = inputs[name][:count]
    part["cu_seqlens"] = inputs["cu_seqlens"][: count + 1]
    return part


def decode_inputs(N: int, H: int) -> dict[str, Any]:
    """Keywords of `kda_decode` with the output norm."""
    return _common(N, N, H, N + 2)


def fold_inputs(N: int, accepted: int, H: int) -> dict[str, Any]:
    """Keywords of `commit_kda_replayssm_spec`: every request accepts `accepted` tokens."""
    P, L, bf16 = N + 2, RING_LENGTH, torch.bfloat16
    return {
        "checkpoint_state": _normal(P, H, D, D),
        "rawv_cache": _normal(P, H, L, D, dtype=bf16),
        "rawk_cache": _normal(P, H, L, D, dtype=bf16),
        "gk_cache": -5 * torch.rand(P, H, L, D, device="cuda"),
        "beta_cache": torch.rand(P, H, L, device="cuda"),
        "ssm_state_indices": _indices(N, P),
        "accept_lens": torch.full((N,), accepted, device="cuda", dtype=torch.int32),
        "max_cache_len": L,
        "num_k_heads": H,
    }


def recurrent_inputs(N: int, T: int, H: int) -> dict[str, Any]:
    """Keywords that our `fused_recurrent_kda` and fla's share."""
    bf16 = torch.bfloat16
    return {
        "q": _normal(N, T, H, D, dtype=bf16),
        "k": _normal(N, T, H, D, dtype=bf16),
        "v": _normal(N, T, H, D, dtype=bf16),
        "g": _normal(N, T, H, D, dtype=bf16),
        "beta": _normal(N, T, H, dtype=bf16),
        "A_log": _normal(H),
        "dt_bias": _normal(H * D),
        "initial_state": _normal(N, H, D, D),
        "output_final_state": True,
        "use_qk_l2norm_in_kernel": True,
        "use_gate_in_kernel": True,
        "use_beta_sigmoid_in_kernel": True,
        "lower_bound": -5.0,
        "state_v_first": True,
    }
