"""Launch the streamed verify: two kernels that read the state once, for calls with rings."""

from __future__ import annotations

import functools

import torch
import triton
from torch import Tensor

from kda_kernels.contract import HEAD_DIM
from kda_kernels.device_math import INTERPRETED
from kda_kernels.launch import (
    OVERLAP_LAUNCHES,
    PROLOGUE_WARPS,
    STREAM,
    STREAMED_DECAY_LIMIT,
    STREAMED_TOKENS,
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


@functools.cache
def _can_overlap(device: int) -> bool:
    """Whether the GPU that Triton compiles for on `device`, the current one, knows programmatic
    dependent launch. Triton is asked and not torch: where nothing but compiles, no GPU is there.
    """
    del device  # the key of the cache
    if INTERPRETED:
        return False
    target = triton.runtime.driver.active.get_current_target()
    return bool(target.backend == "cuda" and target.arch >= 90)


def launch_streamed(
    a: VerifyArguments, sizes: VerifySizes, rings: Rings, out: Tensor, round_conv: bool
) -> None:
    """Launch both kernels on the current stream; takes 12.5 KB (T1 <= 8) or 26 KB of scratch
    per request and head from torch's allocator.

    A NaN in one token of a request reaches all outputs of that request and head, because its
    tokens meet in one matrix; it reaches no other request.
    """
    N, H, T1 = sizes.N, sizes.H, sizes.T1
    TT = 8 if T1 <= 8 else 16
    tile = STREAM[TT]
    overlap = OVERLAP_LAUNCHES and _can_overlap(out.get_device())
    stacked = torch.empty((N * H, 3 * TT, HEAD_DIM), dtype=torch.float32, device=out.device)
    matrices = torch.empty((N * H, TT, 2 * TT), dtype=torch.float32, device=out.device)
    rawv, rawk, log_decay, strength = rings
    verify_prologue_kernel[(N * H,)](
        a.x_q, a.x_k, a.w_q, a.w_k, a.cs_q, a.cs_k, a.g, a.beta, a.A_log, a.dt_bias,
        a.ssm_state_indices, a.cu_seqlens, a.intermediate_state_indices,
        a.intermediate_conv_q, a.intermediate_conv_k, rawk, log_decay, strength, stacked, matrices,
        x_q_strides=a.x_q.stride()[1:3],
        x_k_strides=a.x_k.stride()[1:3],
        cs_q_strides=a.cs_q.stride(),
        cs_k_strides=a.cs_k.stride(),
        g_strides=a.g.stride()[1:3],
        beta_strides=a.beta.stride()[1:3],
        slots_strides=a.ssm_state_indices.stride(),
        cu_strides=a.cu_seqlens.stride(),
        rows_strides=a.intermediate_state_indices.stride(),
        conv_q_strides=a.intermediate_conv_q.stride(),
        conv_k_strides=a.intermediate_conv_k.stride(),
        rawk_pitch=rawk.stride(0),
        ring_g_pitch=log_decay.stride(0),
        ring_beta_pitch=strength.stride(0),
        lower_bound=a.lower_bound,
        scale=a.scale,
        T=N * T1,
        H=H,
        P=sizes.P,
        R=sizes.R,
        L=rawv.shape[2],
        T1=T1,
        TT=TT,
        ROUND_CONV=round_conv,
        OVERLAP=overlap,
        num_warps=PROLOGUE_WARPS[TT],
    )  # fmt: skip
    verify_stream_kernel[(N * H,)](
        a.x_v, a.w_v, a.cs_v, a.recurrent_state, a.ssm_state_indices, a.cu_seqlens,
        a.intermediate_state_indices, a.intermediate_conv_v, rawv, stacked, matrices,
        a.onorm_gate, a.onorm_weight, out,
        x_v_strides=a.x_v.stride()[1:3],
        cs_v_strides=a.cs_v.stride(),
        slots_strides=a.ssm_state_indices.stride(),
        cu_strides=a.cu_seqlens.stride(),
        rows_strides=a.intermediate_state_indices.stride(),
        conv_v_strides=a.intermediate_conv_v.stride(),
        norm_gate_strides=None if a.onorm_gate is None else a.onorm_gate.stride()[1:3],
        out_strides=out.stride()[1:3],
        state_quads=a.recurrent_state.stride(0) // 4,
        rawv_pitch=rawv.stride(0),
        eps=a.onorm_eps,
        N=N,
        T=N * T1,
        H=H,
        P=sizes.P,
        R=sizes.R,
        L=rawv.shape[2],
        T1=T1,
        TT=TT,
        HAS_NORM=sizes.has_norm,
        ROUND_CONV=round_conv,
        BK=tile.keys,
        STAGES=tile.stages,
        OVERLAP=overlap,
        num_warps=tile.warps,
        **register_limit(tile.registers),
        **({"launch_pdl": True} if overlap else {}),
    )  # fmt: skip
