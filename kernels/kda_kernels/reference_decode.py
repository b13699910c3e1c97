"""Float64 references of the in-place ops that take projections before the convolution."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from kda_kernels.reference_math import (
    convolve,
    f64,
    gated_rms_norm,
    l2_normalise,
    log_decay,
    recur,
    silu,
)


@dataclass(frozen=True)
class DecodeResult:
    """What a decode step leaves behind, in float64; the arguments are not written."""

    out: Tensor
    """[1, N, H, 128], before the bf16 store; zero for padding."""
    recurrent_state: Tensor
    """[P, H, 128 (V), 128 (K)], the pool after the step."""
    cs_q: Tensor
    """[P, C, 3], the windows after the step."""
    cs_k: Tensor
    cs_v: Tensor


def kda_decode(
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
    lower_bound: float | None,
    scale: float | None = None,
    bias_q: Tensor | None = None,
    bias_k: Tensor | None = None,
    bias_v: Tensor | None = None,
    onorm_gate: Tensor | None = None,
    onorm_weight: Tensor | None = None,
    onorm_eps: float | None = None,
    validate: str = "host",
) -> DecodeResult:
    """One token of every live request, one request after another; keywords of the kernel."""
    del validate
    scale = x_q.shape[-1] ** -0.5 if scale is None else scale
    out = torch.zeros(x_v.shape, dtype=torch.float64, device=x_v.device)
    result = DecodeResult(out, f64(recurrent_state), f64(cs_q), f64(cs_k), f64(cs_v))
    for n, slot in enumerate(ssm_state_indices.tolist()):
        if not 0 <= slot < recurrent_state.shape[0]:
            continue
        streams = []
        for x, window, taps, bias, after in (
            (x_q, cs_q, w_q, bias_q, result.cs_q),
            (x_k, cs_k, w_k, bias_k, result.cs_k),
            (x_v, cs_v, w_v, bias_v, result.cs_v),
        ):
            token = x[0, n].reshape(1, -1)
            sums, windows = convolve(token, window[slot], taps, bias)
            after[slot] = windows[-1]
            streams.append(silu(sums).view(1, *x.shape[2:]))
        q, k, v = streams
        o, states = recur(
            l2_normalise(q) * scale,
            l2_normalise(k),
            v,
            log_decay(g[0, n : n + 1], A_log, dt_bias, lower_bound),
            torch.sigmoid(f64(beta[0, n : n + 1])),
            recurrent_state[slot],
        )
        result.recurrent_state[slot] = states[-1]
        if onorm_gate is not None and onorm_weight is not None and onorm_eps is not None:
            o = gated_rms_norm(o, onorm_gate[0, n], onorm_weight, onorm_eps)
        out[0, n] = o[0]
    return result


@dataclass(frozen=True)
class FallbackResult(DecodeResult):
    """What the fallback computes, in float64: pools as with `inplace=True`, and every token's part.

    Rows of tokens that belong to no live request are zero.
    """

    states: Tensor
    """[T, HV, V, K], or [T, HV, K, V] with `state_v_first=False`: the state after every token."""
    windows_q: Tensor
    """[T, C, 3], the window after every token, oldest first."""
    windows_k: Tensor
    windows_v: Tensor
    ring_rawv: Tensor
    """[T, HV, V], the value after convolution and SiLU."""
    ring_rawk: Tensor
    """[T, H, K], the key after convolution and SiLU, before its L2 normalisation."""
    ring_g: Tensor
    """[T, HV, K], the log decay."""
    ring_beta: Tensor
    """[T, HV], the write strength."""


def kda_decode_fallback(
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
    lower_bound: float | None,
    scale: float | None = None,
    bias_q: Tensor | None = None,
    bias_k: Tensor | None = None,
    bias_v: Tensor | None = None,
    replayssm_rawv: Tensor | None = None,
    onorm_gate: Tensor | None = None,
    onorm_weight: Tensor | None = None,
    onorm_eps: float | None = None,
    round_conv: bool | None = None,
    state_v_first: bool = True,
    **unread: object,
) -> FallbackResult:
    """Requests of any length, one after another; keywords of the kernel, scratch is not read."""
    del unread
    _, T, HV, V = x_v.shape
    H, K = x_q.shape[2:]
    scale = K**-0.5 if scale is None else scale
    round_conv = replayssm_rawv is not None if round_conv is None else round_conv
    result = _no_tokens(T, H, HV, K, V, (recurrent_state, cs_q, cs_k, cs_v), state_v_first)
    offsets = cu_seqlens.tolist()
    for n, slot in enumerate(ssm_state_indices.tolist()):
        span = slice(offsets[n], offsets[n + 1])
        if not 0 <= slot < recurrent_state.shape[0] or span.start == span.stop:
            continue
        streams = []
        for x, taps, bias, pool, windows in (
            (x_q, w_q, bias_q, result.cs_q, result.windows_q),
            (x_k, w_k, bias_k, result.cs_k, result.windows_k),
            (x_v, w_v, bias_v, result.cs_v, result.windows_v),
        ):
            sums, windows[span] = convolve(x[0, span].flatten(1), pool[slot], taps, bias)
            pool[slot] = windows[span.stop - 1]
            convolved = silu(sums)
            if round_conv:
                convolved = convolved.float().bfloat16().double()
            streams.append(convolved.view(-1, *x.shape[2:]))
        q, k, v = streams
        result.ring_rawv[span], result.ring_rawk[span] = v, k
        result.ring_g[span] = log_decay(g[0, span], A_log, dt_bias, lower_bound)
        result.ring_beta[span] = torch.sigmoid(f64(beta[0, span]))
        state = result.recurrent_state[slot]
        o, states = recur(
            l2_normalise(q) * scale,
            l2_normalise(k),
            v,
            result.ring_g[span],
            result.ring_beta[span],
            state if state_v_first else state.transpose(1, 2),
        )
        result.states[span] = states if state_v_first else states.transpose(2, 3)
        result.recurrent_state[slot] = result.states[span.stop - 1]
        if onorm_gate is not None and onorm_weight is not None and onorm_eps is not None:
            o = gated_rms_norm(o, onorm_gate[0, span], onorm_weight, onorm_eps)
        result.out[0, span] = o
    return result


def _no_tokens(
    T: int, H: int, HV: int, K: int, V: int, pools: tuple[Tensor, ...], state_v_first: bool
) -> FallbackResult:
    """The result in which no request has a token: pools as they are, zeros elsewhere."""

    def zeros(*shape: int) -> Tensor:
        return torch.zeros(shape, dtype=torch.float64, device=pools[0].device)

    state, cs_q, cs_k, cs_v = (f64(pool) for pool in pools)
    return FallbackResult(
        out=zeros(1, T, HV, V),
        recurrent_state=state,
        cs_q=cs_q,
        cs_k=cs_k,
        cs_v=cs_v,
        states=zeros(T, HV, V, K) if state_v_first else zeros(T, HV, K, V),
        windows_q=zeros(T, H * K, 3),
        windows_k=zeros(T, H * K, 3),
        windows_v=zeros(T, HV * V, 3),
        ring_rawv=zeros(T, HV, V),
        ring_rawk=zeros(T, H, K),
        ring_g=zeros(T, HV, K),
        ring_beta=zeros(T, HV),
    )
