"""The recurrence of Kimi Delta Attention over ragged requests, after convolution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import torch
from torch import Tensor

from kda_kernels import device_contract
from kda_kernels.device_math import INTERPRETED
from kda_kernels.input_contract import check_mode, check_numbers
from kda_kernels.launch import pitch_unit, recurrent_tile, register_limit
from kda_kernels.memory_contract import check_backend
from kda_kernels.recurrent_contract import (
    GateFlags,
    Sizes,
    check_gate_flags,
    check_gate_tensors,
    check_recurrent,
)
from kda_kernels.recurrent_kernel import recurrent_kernel


class Scratch(NamedTuple):
    """What a speculative call writes beside its output: snapshots or rings, `steps` a request."""

    rows: Tensor | None = None
    snapshots: Tensor | None = None
    rawv: Tensor | None = None
    rawk: Tensor | None = None
    log_decay: Tensor | None = None
    strength: Tensor | None = None
    steps: int = 0


_NO_SCRATCH = Scratch()


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
    validate: Literal["host", "device"] = "host",
) -> tuple[Tensor, Tensor | None]:
    """Run the gated delta rule over every request's tokens, from its state.

    The arguments are those of fla's function of the same name (fla-core 0.6.0), and
    `ssm_state_indices` and `validate`. B rows or, with offsets, one row of N requests; H key heads,
    HV value heads; `reference_recurrent.fused_recurrent_kda` states the equations. There is no
    backward.

    Args:
        q, k: [B, T, H, K], bf16, fp16 or fp32; last stride 1, other strides free.
        v: [B, T, HV, V], HV a multiple of H; K and V of 64, 128 or 256.
        g: [B, T, HV, K], log decay, or gate logits with `use_gate_in_kernel`.
        beta: [B, T, HV], write strength, or its logit with `use_beta_sigmoid_in_kernel`.
        A_log: [HV] fp32, log of the gate's rate; None means rate 1 (safe gate only).
        dt_bias: [HV * K] fp32, the gate's bias, or None.
        scale: query scale, by default K ** -0.5.
        initial_state: [N, HV, K, V] fp32, or [N, HV, V, K] with `state_v_first`; by default zero.
            With `ssm_state_indices` the pool [P, ...], whose slots are updated in place; any slot
            pitch.
        output_final_state: return the final state; a new tensor unless slots are given.
        use_qk_l2norm_in_kernel: normalise q and k per head.
        allow_neg_eigval: double the sigmoid of beta.
        lower_bound: bound of the safe gate's log decay, negative; None for the softplus gate.
        cu_seqlens: [N + 1] int32 or int64, offsets of ragged requests, B = 1; lengths may be 0.
        ssm_state_indices: [N] int32 or int64, pool slots, distinct; a request with a negative slot
            is padding: zeros in its output, nothing else is touched.
        validate: "host" reads no device memory; "device" also checks offsets and slots.

    Returns:
        The output [B, T, HV, V] in v's dtype; and the final state, the pool, or None.

    Raises:
        ContractError: an argument breaks the contract; nothing was launched or written.
        DeviceContractError: `validate="device"` found offsets or slots that break it.
        BackendUnavailableError: CPU tensors without TRITON_INTERPRET=1.
    """
    check_mode(validate)
    flags = GateFlags(use_gate_in_kernel, use_beta_sigmoid_in_kernel, allow_neg_eigval, lower_bound)
    tokens = (("q", q), ("k", k), ("v", v), ("g", g), ("beta", beta))
    extra = (
        ("A_log", A_log),
        ("dt_bias", dt_bias),
        ("initial_state", initial_state),
        ("cu_seqlens", cu_seqlens),
        ("ssm_state_indices", ssm_state_indices),
    )
    sizes = check_recurrent(
        tokens, extra, cu_seqlens, initial_state, ssm_state_indices, state_v_first=state_v_first
    )
    N, T, _, HV, K, V = sizes
    check_gate_flags(flags, A_log, dt_bias)
    check_gate_tensors(A_log, dt_bias, HV, K)
    scale = K**-0.5 if scale is None else scale
    check_numbers(-1.0 if lower_bound is None else lower_bound, scale, None)
    if validate == "device":
        device_contract.check_not_capturing(q)
        if cu_seqlens is not None:
            device_contract.check_segments(cu_seqlens, T)
        if ssm_state_indices is not None and initial_state is not None:
            device_contract.check_slots(ssm_state_indices, initial_state.shape[0], written=True)
    check_backend(q, INTERPRETED)

    out = torch.empty(v.shape, dtype=v.dtype, device=v.device)
    final = initial_state if ssm_state_indices is not None else None
    if final is None and output_final_state:
        inner = (V, K) if state_v_first else (K, V)
        final = torch.empty((N, HV, *inner), dtype=torch.float32, device=v.device)
    gate: Literal["none", "safe", "softplus"] = "none"
    if use_gate_in_kernel:
        gate = "softplus" if lower_bound is None else "safe"
    launch_recurrence(
        (q, k, v, g, beta, out),
        (A_log, dt_bias),
        (initial_state, final),
        (ssm_state_indices, cu_seqlens),
        sizes,
        scale=scale,
        lower_bound=lower_bound,
        gate=gate,
        strength=(2.0 if allow_neg_eigval else 1.0) if use_beta_sigmoid_in_kernel else 0.0,
        normalise=use_qk_l2norm_in_kernel,
        state_v_first=state_v_first,
    )
    return out, final if output_final_state else None


def launch_recurrence(
    tokens: Sequence[Tensor],
    gate_parameters: tuple[Tensor | None, Tensor | None],
    states: tuple[Tensor | None, Tensor | None],
    indices: tuple[Tensor | None, Tensor | None],
    sizes: Sizes,
    *,
    scale: float,
    lower_bound: float | None,
    gate: Literal["none", "safe", "softplus"],
    strength: float,
    normalise: bool,
    state_v_first: bool,
    scratch: Scratch = _NO_SCRATCH,
) -> None:
    """Launch the recurrence; nothing is checked.

    Args:
        tokens: q, k, v, g, beta and the output, [B, T, heads, dim] ([B, T, HV] for beta).
        gate_parameters: A_log and dt_bias.
        states: the initial and the final state; they may be one pool.
        indices: slots and offsets, each [N] or None.
        strength: 0 where beta is the write strength, else the factor of its sigmoid.
        scratch: rows, and snapshots or rings to write.
    """
    N, T, H, HV, K, V = sizes
    if N == 0:
        tokens[-1].zero_()
        return
    slots, cu_seqlens = indices
    rows, snapshots, *rings = scratch[:6]
    pool = next((state for state in states if state is not None), None)
    tile = recurrent_tile(K, V, state_v_first=state_v_first, interpreted=INTERPRETED)
    rows_and_steps = (0, 0) if snapshots is None else snapshots.stride()[:2]
    pitches = (*(_pitch(state) for state in states), *rows_and_steps)
    unit = pitch_unit(*pitches)
    device = tokens[0].get_device()
    with torch.cuda.device(device):
        recurrent_kernel[(N * HV * (V // tile.rows),)](
            *tokens[:5],
            *gate_parameters,
            tokens[5],
            *states,
            slots,
            cu_seqlens,
            rows,
            snapshots,
            *rings,
            N,
            T,
            0 if pool is None else pool.shape[0],
            0 if snapshots is None else snapshots.shape[0],
            scratch.steps,
            scale,
            0.0 if lower_bound is None else lower_bound,
            HV,
            tuple(x.stride()[:3] for x in tokens),
            (pitches[0] // unit, pitches[1] // unit),
            (pitches[2] // unit, pitches[3] // unit),
            tuple(_pitch(x) for x in rings),
            tuple(_pitch(x) for x in (slots, cu_seqlens, rows)),
            GROUPS=HV // H,
            V=V,
            K=K,
            BV=tile.rows,
            STRIDE_V=K if state_v_first else 1,
            STRIDE_K=1 if state_v_first else V,
            UNIT=unit,
            GATE=gate,
            NORMALISE=normalise,
            STRENGTH=strength,
            num_warps=tile.warps,
            **register_limit(tile.registers, device),
        )


def _pitch(tensor: Tensor | None) -> int:
    return 0 if tensor is None else tensor.stride(0)
