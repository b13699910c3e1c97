"""Complete arguments for the ops besides verify, in the memory layouts that a server has.

Like `sample_inputs` they are random, from torch's global CPU generator, on a GPU if torch sees one,
with permuted slots and NaN in everything that the op is to write.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import torch
from torch import Tensor

from kda_kernels.inputs import sample_inputs

_VERIFY_SCRATCH = ("intermediate", "replayssm", "cu_seqlens")


def sample_decode_inputs(
    *,
    requests: int = 2,
    heads: int = 2,
    output_norm: bool = False,
    pool_slots: int | None = None,
    device: str | torch.device | None = None,
) -> dict[str, Any]:
    """Keywords of `kda_decode`: those of verify for one token a request, without its scratch."""
    inputs = sample_inputs(
        requests=requests,
        tokens_per_request=1,
        heads=heads,
        output_norm=output_norm,
        pool_slots=pool_slots,
        device=device,
    )
    return {name: x for name, x in inputs.items() if not name.startswith(_VERIFY_SCRATCH)}


def sample_fallback_inputs(
    *,
    lengths: Sequence[int] = (3, 0, 1),
    heads: int = 2,
    rings: bool = False,
    output_norm: bool = False,
    pool_slots: int | None = None,
    device: str | torch.device | None = None,
) -> dict[str, Any]:
    """Keywords of `kda_decode_fallback` that verify requests of these lengths.

    They are those of the fused verify op, with scratch for the longest request.
    """
    steps, total = max(lengths), sum(lengths)
    inputs = sample_inputs(
        requests=len(lengths),
        tokens_per_request=max(steps, 1),
        heads=heads,
        rings=rings,
        output_norm=output_norm,
        pool_slots=pool_slots,
        device=device,
    )
    for name in ("x_q", "x_k", "x_v", "g", "beta", "onorm_gate"):
        if name in inputs:
            inputs[name] = inputs[name][:, :total]
    offsets = [0, *accumulate(lengths)]
    place = inputs["x_q"].device
    return inputs | {"cu_seqlens": torch.tensor(offsets, dtype=torch.int32, device=place)}


def sample_recurrent_inputs(
    *,
    lengths: Sequence[int] = (3, 0, 1),
    heads: int = 1,
    value_heads: int = 2,
    key_dim: int = 128,
    value_dim: int = 64,
    state_v_first: bool = False,
    device: str | torch.device | None = None,
) -> dict[str, Any]:
    """Arguments of `fused_recurrent_kda`: g is the log decay, beta the write strength."""
    place = _place(device)
    H, HV, K, V = heads, value_heads, key_dim, value_dim
    T, N = sum(lengths), len(lengths)

    def bf16(*shape: int) -> Tensor:
        return torch.randn(shape).to(place, torch.bfloat16)

    return {
        "q": bf16(1, T, H, K),
        "k": bf16(1, T, H, K),
        "v": bf16(1, T, HV, V),
        "g": (-5 * torch.rand(1, T, HV, K)).to(place),
        "beta": torch.rand(1, T, HV).to(place, torch.bfloat16),
        "initial_state": torch.randn(N, HV, *((V, K) if state_v_first else (K, V))).to(place),
        "output_final_state": True,
        "use_qk_l2norm_in_kernel": True,
        "state_v_first": state_v_first,
        "cu_seqlens": torch.tensor([0, *accumulate(lengths)], device=place),
    }


def sample_fold_inputs(
    *,
    requests: int = 2,
    tokens_per_request: int = 4,
    heads: int = 2,
    value_heads: int | None = None,
    layers: int | None = None,
    head_dim: int = 128,
    pool_slots: int | None = None,
    device: str | torch.device | None = None,
) -> dict[str, Any]:
    """Arguments of `commit_kda_replayssm_spec`, or with `layers` of its call over all layers.

    The rings hold 2 * tokens_per_request positions, of which `accept_lens` folds some.
    """
    place = _place(device)
    N, H, D, L = requests, heads, head_dim, 2 * tokens_per_request
    HV = H if value_heads is None else value_heads
    P = N + 2 if pool_slots is None else pool_slots
    lead = (P,) if layers is None else (layers, P)

    def normal(*shape: int) -> Tensor:
        return torch.randn(*lead, *shape).to(place)

    return {
        "checkpoint_state": normal(HV, D, D),
        "rawv_cache": normal(HV, L, D).bfloat16(),
        "rawk_cache": normal(H, L, D).bfloat16(),
        "gk_cache": -5 * torch.rand(*lead, HV, L, D).to(place),
        "beta_cache": torch.rand(*lead, HV, L).to(place),
        "ssm_state_indices": torch.randperm(P)[:N].to(place, torch.int32),
        "accept_lens": torch.randint(1, tokens_per_request + 1, (N,)).to(place, torch.int32),
        "max_cache_len": L,
        "num_k_heads": H,
    }


def sample_conv_inputs(
    *,
    requests: int = 2,
    channels: int = 256,
    tokens: int | None = None,
    device: str | torch.device | None = None,
) -> dict[str, Any]:
    """Arguments of `causal_conv1d_update`: one token a request, or [B, C, tokens]."""
    place = _place(device)
    B, C, P = requests, channels, requests + 2
    shape = (B, C) if tokens is None else (B, C, tokens)
    return {
        "x": torch.randn(shape).to(place, torch.bfloat16),
        "conv_state": torch.randn(P, 3, C).to(place, torch.bfloat16).transpose(1, 2),
        "weight": 0.5 * torch.randn(C, 4).to(place),
        "bias": torch.randn(C).to(place),
        "activation": "silu",
        "conv_state_indices": torch.randperm(P)[:B].to(place, torch.int32),
    }


def sample_norm_inputs(
    *,
    tokens: int = 4,
    heads: int = 2,
    head_dim: int = 128,
    device: str | torch.device | None = None,
) -> dict[str, Any]:
    """Keywords of `kda_onorm_apply`."""
    place = _place(device)
    shape = (1, tokens, heads, head_dim)
    return {
        "raw": torch.randn(shape).to(place, torch.bfloat16),
        "gate": torch.randn(shape).to(place, torch.bfloat16),
        "weight": torch.randn(head_dim).to(place),
        "out": torch.full(shape, torch.nan, dtype=torch.bfloat16, device=place),
        "eps": 1e-5,
    }


def _place(device: str | torch.device | None) -> torch.device:
    return torch.device(device or ("cuda" if torch.cuda.is_available() else "cpu"))
