"""The float64 references of the ops, written to be read; that of the fused verify op in full.

One request after another, one token after another, with the equations of `reference_math`. It
takes the keywords of the kernel and writes to none of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from kda_kernels.reference_commit import (
    commit_kda_replayssm_spec,
    commit_snapshots,
    rollback_conv_window,
)
from kda_kernels.reference_conv import causal_conv1d_update, kda_onorm_apply
from kda_kernels.reference_decode import kda_decode, kda_decode_fallback
from kda_kernels.reference_math import (
    convolve,
    f64,
    gated_rms_norm,
    l2_normalise,
    log_decay,
    recur,
    silu,
)
from kda_kernels.reference_recurrent import fused_recurrent_kda

__all__ = [
    "VerifyResult",
    "causal_conv1d_update",
    "commit_kda_replayssm_spec",
    "commit_snapshots",
    "fused_kda_decode_mtp_dspark",
    "fused_recurrent_kda",
    "kda_decode",
    "kda_decode_fallback",
    "kda_onorm_apply",
    "rollback_conv_window",
]

HEAD_DIM = 128


@dataclass(frozen=True)
class VerifyResult:
    """What one verify call computes, in float64 on the device of the inputs.

    N requests, T1 tokens per request, H heads, C = 128 H channels. Entries of padded requests and
    of tokens that a request does not have are zero.
    """

    out: Tensor
    """[1, T, H, 128], before the bf16 store."""
    states: Tensor
    """[N, T1, H, 128 (V), 128 (K)], the state after every token."""
    windows_q: Tensor
    """[N, T1, C, 3], the last three raw inputs after every token, oldest first."""
    windows_k: Tensor
    windows_v: Tensor
    ring_rawv: Tensor
    """[N, H, T1, 128], the value after convolution and SiLU."""
    ring_rawk: Tensor
    """[N, H, T1, 128], the key after convolution and SiLU, before its L2 normalisation."""
    ring_g: Tensor
    """[N, H, T1, 128], the log decay."""
    ring_beta: Tensor
    """[N, H, T1], the write strength."""


def fused_kda_decode_mtp_dspark(
    *,
    x_q: Tensor,
    x_k: Tensor,
    x_v: Tensor,
    w_q: Tensor,
    w_k: Tensor,
    w_v: Tensor,
    cs_q: Tensor,
    cs_k: Tensor,
    cs_v: Tensor,
    g: Tensor,
    beta: Tensor,
    A_log: Tensor,
    dt_bias: Tensor,
    recurrent_state: Tensor,
    ssm_state_indices: Tensor,
    cu_seqlens: Tensor,
    lower_bound: float,
    scale: float | None = None,
    intermediate_ssm: Tensor | None = None,
    intermediate_state_indices: Tensor | None = None,
    intermediate_conv_q: Tensor | None = None,
    intermediate_conv_k: Tensor | None = None,
    intermediate_conv_v: Tensor | None = None,
    replayssm_rawv: Tensor | None = None,
    replayssm_rawk: Tensor | None = None,
    replayssm_g: Tensor | None = None,
    replayssm_beta: Tensor | None = None,
    onorm_gate: Tensor | None = None,
    onorm_weight: Tensor | None = None,
    onorm_eps: float | None = None,
    round_conv: bool | None = None,
    validate: str = "host",
) -> VerifyResult:
    """Compute everything that the kernel of the same name writes.

    The arguments are the kernel's. The scratch arguments are accepted so that one set of keywords
    serves both, and are not read; `round_conv=None` rounds when rings are given.

    Returns:
        Output, states, convolution windows and ring entries of every request.
    """
    del intermediate_ssm, intermediate_state_indices, validate
    del intermediate_conv_q, intermediate_conv_k, intermediate_conv_v
    del replayssm_rawk, replayssm_g, replayssm_beta
    scale = HEAD_DIM**-0.5 if scale is None else scale
    round_conv = replayssm_rawv is not None if round_conv is None else round_conv
    N, T, H = cu_seqlens.numel() - 1, x_q.shape[1], x_q.shape[2]
    result = _zeros(N, T, T // N, H, x_q.device)
    offsets = cu_seqlens.tolist()
    for n, slot in enumerate(ssm_state_indices.tolist()):
        length = min(offsets[n + 1] - offsets[n], T // N)
        if slot < 0 or length <= 0:
            continue
        tokens = slice(offsets[n], offsets[n] + length)

        streams = {}
        for stream, x, window, taps, windows in (
            ("q", x_q, cs_q, w_q, result.windows_q),
            ("k", x_k, cs_k, w_k, result.windows_k),
            ("v", x_v, cs_v, w_v, result.windows_v),
        ):
            sums, windows[n, :length] = convolve(x[0, tokens].flatten(1), window[slot], taps)
            convolved = _to_bf16(silu(sums)) if round_conv else silu(sums)
            streams[stream] = convolved.view(length, H, HEAD_DIM)
        gamma = log_decay(g[0, tokens], A_log, dt_bias, lower_bound)
        strength = torch.sigmoid(f64(beta[0, tokens]))

        o, states = recur(
            l2_normalise(streams["q"]) * scale,
            l2_normalise(streams["k"]),
            streams["v"],
            gamma,
            strength,
            recurrent_state[slot],
        )
        if onorm_gate is not None and onorm_weight is not None and onorm_eps is not None:
            o = gated_rms_norm(o, onorm_gate[0, tokens], onorm_weight, onorm_eps)

        result.out[0, tokens] = o
        result.states[n, :length] = states
        result.ring_rawv[n, :, :length] = streams["v"].transpose(0, 1)
        result.ring_rawk[n, :, :length] = streams["k"].transpose(0, 1)
        result.ring_g[n, :, :length] = gamma.transpose(0, 1)
        result.ring_beta[n, :, :length] = strength.transpose(0, 1)
    return result


def _to_bf16(x: Tensor) -> Tensor:
    """Round as the kernel does: its fp32 value to bf16."""
    return x.to(torch.float32).to(torch.bfloat16).to(torch.float64)


def _zeros(N: int, T: int, T1: int, H: int, device: torch.device) -> VerifyResult:
    """A result in which no request has a token."""

    def zeros(*shape: int) -> Tensor:
        return torch.zeros(shape, dtype=torch.float64, device=device)

    window = (N, T1, H * HEAD_DIM, 3)
    ring = (N, H, T1, HEAD_DIM)
    return VerifyResult(
        out=zeros(1, T, H, HEAD_DIM),
        states=zeros(N, T1, H, HEAD_DIM, HEAD_DIM),
        windows_q=zeros(*window),
        windows_k=zeros(*window),
        windows_v=zeros(*window),
        ring_rawv=zeros(*ring),
        ring_rawk=zeros(*ring),
        ring_g=zeros(*ring),
        ring_beta=zeros(N, H, T1),
    )
