"""Launch the streamed verify: two kernels that read the state once, for calls with rings."""

from __future__ import annotations

import functools
from typing import Any

import torch
from torch import Tensor

from kda_kernels import accepted
from kda_kernels.contract import HEAD_DIM
from kda_kernels.launch import (
    STREAM,
    STREAMED_DECAY_LIMIT,
    STREAMED_TOKENS,
    can_overlap,
    padded_tokens,
    prologue,
    register_limit,
)
from kda_kernels.verify_contract import VerifyArguments, VerifySizes
from kda_kernels.verify_prologue_kernel import verify_prologue_kernel
from kda_kernels.verify_stream_kernel import verify_stream_kernel

Rings = tuple[Tensor, Tensor, Tensor, Tensor]
"""Value, key, log decay and strength."""


def streamable_rings(a: VerifyArguments, sizes: VerifySizes) -> Rings | None:
    """The rings of a call whose decay over its T1 tokens fp32 can divide by, else None."""
    rawv, rawk, log_decay, strength = (
        a.replayssm_rawv,
        a.replayssm_rawk,
        a.replayssm_g,
        a.replayssm_beta,
    )
    if rawv is None or rawk is None or log_decay is None or strength is None:
        return None
    if sizes.T1 > STREAMED_TOKENS or sizes.T1 * -a.lower_bound > STREAMED_DECAY_LIMIT:
        return None
    return rawv, rawk, log_decay, strength


@functools.lru_cache(maxsize=accepted.LIMIT)
def _prologue_layout(sizes: VerifySizes) -> dict[str, Any]:
    """What the first kernel takes of sizes and strides."""
    strides = sizes.strides
    return {
        "x_q_strides": strides["x_q"][1:3],
        "x_k_strides": strides["x_k"][1:3],
        "cs_q_strides": strides["cs_q"],
        "cs_k_strides": strides["cs_k"],
        "g_strides": strides["g"][1:3],
        "beta_strides": strides["beta"][1:3],
        "slots_strides": strides["ssm_state_indices"],
        "cu_strides": strides["cu_seqlens"],
        "rows_strides": strides["intermediate_state_indices"],
        "conv_q_strides": strides["intermediate_conv_q"],
        "conv_k_strides": strides["intermediate_conv_k"],
        "rawk_pitch": strides["replayssm_rawk"][0],
        "ring_g_pitch": strides["replayssm_g"][0],
        "ring_beta_pitch": strides["replayssm_beta"][0],
        "T": sizes.N * sizes.T1,
        "H": sizes.H,
        "P": sizes.P,
        "R": sizes.R,
        "L": sizes.L,
        "T1": sizes.T1,
    }


@functools.lru_cache(maxsize=accepted.LIMIT)
def _stream_layout(sizes: VerifySizes) -> dict[str, Any]:
    """What the second kernel takes of sizes and strides."""
    strides = sizes.strides
    return {
        "x_v_strides": strides["x_v"][1:3],
        "cs_v_strides": strides["cs_v"],
        "slots_strides": strides["ssm_state_indices"],
        "cu_strides": strides["cu_seqlens"],
        "rows_strides": strides["intermediate_state_indices"],
        "conv_v_strides": strides["intermediate_conv_v"],
        "norm_gate_strides": strides["onorm_gate"][1:3] if sizes.has_norm else None,
        "state_quads": strides["recurrent_state"][0] // 4,
        "rawv_pitch": strides["replayssm_rawv"][0],
        "N": sizes.N,
        "T": sizes.N * sizes.T1,
        "H": sizes.H,
        "P": sizes.P,
        "R": sizes.R,
        "L": sizes.L,
        "T1": sizes.T1,
        "HAS_NORM": sizes.has_norm,
    }


def launch_streamed(
    a: VerifyArguments, sizes: VerifySizes, rings: Rings, out: Tensor, round_conv: bool
) -> None:
    """Launch both kernels on the current stream; takes 6.25 KB (T1 <= 4), 12.5 KB (T1 <= 8)
    or 26 KB of scratch per request and head from torch's allocator.

    A NaN in one token of a request reaches all outputs of that request and head, because its
    tokens meet in one matrix; it reaches no other request.
    """
    programs = sizes.N * sizes.H
    device = out.get_device()
    TS = padded_tokens(sizes.T1)
    first, tile = prologue(TS, device), STREAM[TS]
    overlap = can_overlap(device)
    # One allocation: rows [programs, 6 TS, 128] bf16, then matrices [programs, TT, 2 TS] fp32.
    rows = programs * 3 * TS * HEAD_DIM
    cells = programs * 2 * TS * max(TS, 8)
    stacked = torch.empty(rows + cells, dtype=torch.float32, device=out.device)
    matrices = stacked[rows:]
    rawv, rawk, log_decay, strength = rings
    verify_prologue_kernel[(programs,)](
        a.x_q, a.x_k, a.w_q, a.w_k, a.cs_q, a.cs_k, a.g, a.beta, a.A_log, a.dt_bias,
        a.ssm_state_indices, a.cu_seqlens, a.intermediate_state_indices,
        a.intermediate_conv_q, a.intermediate_conv_k, rawk, log_decay, strength, stacked, matrices,
        lower_bound=a.lower_bound,
        scale=a.scale,
        TS=TS,
        ROUND_CONV=round_conv,
        OVERLAP=overlap,
        G=first.groups,
        num_warps=first.groups,
        **register_limit(first.registers, device),
        **_prologue_layout(sizes),
    )  # fmt: skip
    verify_stream_kernel[(programs,)](
        a.x_v, a.w_v, a.cs_v, a.recurrent_state, a.ssm_state_indices, a.cu_seqlens,
        a.intermediate_state_indices, a.intermediate_conv_v, rawv, stacked, matrices,
        a.onorm_gate, a.onorm_weight, out,
        out_strides=out.stride()[1:3],
        eps=a.onorm_eps,
        TS=TS,
        ROUND_CONV=round_conv,
        BK=tile.keys,
        STAGES=tile.stages,
        OVERLAP=overlap,
        num_warps=tile.warps,
        **_stream_layout(sizes),
        **register_limit(tile.registers, device),
        **({"launch_pdl": True} if overlap else {}),
    )  # fmt: skip
