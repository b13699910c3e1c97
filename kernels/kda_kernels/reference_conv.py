"""Float64 references of the convolution's update step and of the output norm."""

from __future__ import annotations

import torch
from torch import Tensor

from kda_kernels.reference_math import convolve, f64, gated_rms_norm, silu


def causal_conv1d_update(
    x: Tensor,
    conv_state: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    activation: str | None = None,
    conv_state_indices: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """Output of x's shape and the windows [P, C, 3] after the call, both float64."""
    tokens = x if x.ndim == 3 else x[..., None]  # [B, C, S]
    out = torch.zeros(tokens.shape, dtype=torch.float64, device=x.device)
    windows = f64(conv_state)
    slots = range(x.shape[0]) if conv_state_indices is None else conv_state_indices.tolist()
    for b, slot in enumerate(slots):
        if not 0 <= slot < conv_state.shape[0] or tokens.shape[2] == 0:
            continue
        sums, after = convolve(tokens[b].T, conv_state[slot], weight, bias)
        out[b] = (sums if activation is None else silu(sums)).T
        windows[slot] = after[-1]
    return out.view(x.shape), windows


def kda_onorm_apply(
    *, raw: Tensor, gate: Tensor, weight: Tensor, eps: float, out: Tensor | None = None
) -> Tensor:
    """The norm in float64, [1, T, H, D]; the op's `out` is accepted and not written."""
    del out
    return gated_rms_norm(raw, gate, weight, eps)
