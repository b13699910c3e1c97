"""Float64 references of the ops that take projections before the convolution."""

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
