"""The equations of KDA in float64, one function a step, for the references of the single ops.

Shapes: n tokens, H key heads, HV value heads, K and V head dims, C channels, W = 4 taps. Every
function takes tensors of any float dtype and computes in float64. The gate, the recurrence and the
normalisations are those of Kimi Linear (arXiv:2510.26692) as Kimi K3's checkpoints use them.
"""

from __future__ import annotations

import torch
from torch import Tensor

L2_EPS = 1e-6
TAPS = 4
SOFTPLUS_LINEAR_ABOVE = 20.0


def f64(tensor: Tensor) -> Tensor:
    """A float64 copy that later writes to `tensor` do not reach."""
    return tensor.detach().to(torch.float64, copy=True)


def convolve(
    x: Tensor, window: Tensor, taps: Tensor, bias: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """Causal depthwise convolution without its activation.

    Args:
        x: [n, C], raw inputs of one request, oldest first.
        window: [C, 3], the three inputs before x, oldest first.
        taps: [C, 4], tap 0 for the oldest input.
        bias: [C] or None.

    Returns:
        The sums [n, C] and the window after every token [n, C, 3].
    """
    series = torch.cat([f64(window).T, f64(x)])  # [3 + n, C]
    views = series.unfold(0, TAPS, 1)  # [n, C, 4]
    sums = (views * f64(taps)).sum(-1)
    if bias is not None:
        sums = sums + f64(bias)
    return sums, views[..., 1:].clone()


def silu(x: Tensor) -> Tensor:
    """x * sigmoid(x)."""
    return x * torch.sigmoid(x)


def l2_normalise(x: Tensor) -> Tensor:
    """x / sqrt(sum(x^2) + 1e-6) along the last dimension; a zero row stays zero."""
    return x * torch.rsqrt((x * x).sum(-1, keepdim=True) + L2_EPS)


def log_decay(
    logits: Tensor, A_log: Tensor | None, dt_bias: Tensor | None, lower_bound: float | None
) -> Tensor:
    """Activate forget-gate logits.

    Args:
        logits: [n, HV, K].
        A_log: [HV], or None for a rate of 1.
        dt_bias: [HV * K] or None.
        lower_bound: bound of the safe gate; None selects the softplus gate.

    Returns:
        [n, HV, K]: lower_bound * sigmoid(exp(A_log) * (g + dt_bias)), in [lower_bound, 0], or
        -exp(A_log) * softplus(g + dt_bias), in (-inf, 0].
    """
    x = f64(logits)
    if dt_bias is not None:
        x = x + f64(dt_bias).view(x.shape[-2:])
    rate = torch.ones(x.shape[-2], 1, dtype=torch.float64, device=x.device)
    if A_log is not None:
        rate = f64(A_log).exp().view(-1, 1)
    if lower_bound is not None:
        return lower_bound * torch.sigmoid(rate * x)
    return -rate * torch.nn.functional.softplus(x, threshold=SOFTPLUS_LINEAR_ABOVE)


def recur(
    q: Tensor, k: Tensor, v: Tensor, gamma: Tensor, beta: Tensor, state: Tensor
) -> tuple[Tensor, Tensor]:
    """The gated delta rule, token by token.

    Args:
        q, k: [n, H, K], normalised and scaled; value head h reads key head h // (HV / H).
        v: [n, HV, V]; gamma: [n, HV, K], log decay; beta: [n, HV], write strength.
        state: [HV, V, K].

    Returns:
        Outputs [n, HV, V] and the state after every token [n, HV, V, K].
    """
    groups = v.shape[1] // q.shape[1]
    q, k = (x.repeat_interleave(groups, dim=1) for x in (q, k))
    S = f64(state)
    outputs, states = [], []
    for t in range(v.shape[0]):
        S = S * gamma[t].exp()[:, None, :]
        predicted = torch.einsum("hvk,hk->hv", S, k[t])
        error = (v[t] - predicted) * beta[t, :, None]
        S = S + error[:, :, None] * k[t][:, None, :]
        outputs.append(torch.einsum("hvk,hk->hv", S, q[t]))
        states.append(S)
    if not outputs:
        return v.new_zeros(v.shape), S.new_zeros(0, *S.shape)
    return torch.stack(outputs), torch.stack(states)


def gated_rms_norm(o: Tensor, gate: Tensor, weight: Tensor, eps: float) -> Tensor:
    """o * rsqrt(mean(o^2) + eps) * weight * sigmoid(gate) along the last dimension."""
    x = f64(o)
    scale = torch.rsqrt((x * x).mean(-1, keepdim=True) + eps)
    return x * scale * f64(weight) * torch.sigmoid(f64(gate))
