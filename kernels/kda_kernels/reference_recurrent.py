"""Float64 reference of `fused_recurrent_kda`."""

from __future__ import annotations

import torch
from torch import Tensor

from kda_kernels.reference_math import f64, l2_normalise, log_decay, recur


def fused_recurrent_kda(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    g: Tensor,
    beta: Tensor,
    A_log: Tensor | None = None,
    dt_bias: Tensor | None = None,
    scale: float | None = None,
    initial_state: Tensor | None = None,
    output_final_state: bool = False,
    use_qk_l2norm_in_kernel: bool = False,
    use_gate_in_kernel: bool = False,
    use_beta_sigmoid_in_kernel: bool = False,
    allow_neg_eigval: bool = False,
    lower_bound: float | None = None,
    state_v_first: bool = False,
    cu_seqlens: Tensor | None = None,
    ssm_state_indices: Tensor | None = None,
) -> tuple[Tensor, Tensor | None]:
    """Output and final state in float64; nothing is written. Arguments as the kernel's.

    Returns:
        [B, T, HV, V], and the final state [N, HV, K, V], or the whole pool [P, HV, K, V] after the
        call when slots are given; V and K swapped with `state_v_first`.
    """
    B, T, HV, V = v.shape
    K = k.shape[-1]
    scale = K**-0.5 if scale is None else scale
    offsets = [T * b for b in range(B + 1)] if cu_seqlens is None else cu_seqlens.tolist()
    N = len(offsets) - 1
    slots = list(range(N)) if ssm_state_indices is None else ssm_state_indices.tolist()
    if initial_state is None:
        states = torch.zeros(N, HV, V, K, dtype=torch.float64, device=v.device)
    else:
        states = f64(initial_state if state_v_first else initial_state.transpose(2, 3))

    tokens = [f64(x).flatten(0, 1) for x in (q, k, v, g, beta)]
    out = torch.zeros(B * T, HV, V, dtype=torch.float64, device=v.device)
    for n, slot in enumerate(slots):
        span = slice(offsets[n], offsets[n + 1])
        if not 0 <= slot < states.shape[0] or offsets[n] == offsets[n + 1]:
            continue
        qn, kn, vn, gamma, strength = (x[span] for x in tokens)
        if use_qk_l2norm_in_kernel:
            qn, kn = l2_normalise(qn), l2_normalise(kn)
        if use_gate_in_kernel:
            gamma = log_decay(gamma, A_log, dt_bias, lower_bound)
        if use_beta_sigmoid_in_kernel:
            strength = torch.sigmoid(strength) * (2 if allow_neg_eigval else 1)
        out[span], after = recur(qn * scale, kn, vn, gamma, strength, states[slot])
        states[slot] = after[-1]
    final = states if state_v_first else states.transpose(2, 3)
    return out.view(v.shape), final if output_final_state else None
