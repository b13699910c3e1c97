"""Speculative verify of Kimi Delta Attention, fused: convolution, gate, delta rule, output norm."""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor

from kda_kernels.contract import HEAD_DIM
from kda_kernels.device_math import INTERPRETED
from kda_kernels.input_contract import check_mode
from kda_kernels.launch import pitch_unit, register_limit, verify_tile
from kda_kernels.memory_contract import check_backend
from kda_kernels.streamed import launch_streamed, streamable_rings
from kda_kernels.verify_contract import VerifyArguments, VerifySizes, check_device, check_host
from kda_kernels.verify_kernel import verify_kernel


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
    intermediate_ssm: Tensor | None,
    intermediate_state_indices: Tensor,
    intermediate_conv_q: Tensor,
    intermediate_conv_k: Tensor,
    intermediate_conv_v: Tensor,
    ssm_state_indices: Tensor,
    cu_seqlens: Tensor,
    lower_bound: float,
    scale: float | None = None,
    replayssm_rawv: Tensor | None = None,
    replayssm_rawk: Tensor | None = None,
    replayssm_g: Tensor | None = None,
    replayssm_beta: Tensor | None = None,
    onorm_gate: Tensor | None = None,
    onorm_weight: Tensor | None = None,
    onorm_eps: float | None = None,
    round_conv: bool | None = None,
    validate: Literal["host", "device"] = "host",
) -> Tensor:
    """Verify T1 = 1 + num_spec tokens of N requests against their committed state.

    The keywords are those of sglang's function of the same name
    (sglang/kernels/ops/attention/kda_decode_mtp.py in 0.5.23) and two of our own, `round_conv` and
    `validate`. N requests, T = N * T1 tokens, H heads, C = 128 H channels, P pool slots, R scratch
    rows, L ring positions. `reference.fused_kda_decode_mtp_dspark` states the equations.

    Nothing waits for the device, and only the output and a scratch are allocated, per request and
    head: with rings 6.25 KB up to T1=4, 12.5 KB up to 8 and 26 KB up to 16, else 3 KB a token. So a
    call can be captured in a CUDA graph. The first one compiles, which takes seconds.

    A request with a negative slot is padding: zeros in its output rows, nothing else is touched. A
    request shorter than T1 leaves the scratch of its missing tokens as it is; output rows that no
    request computes, such as those past T1 tokens, are zero. Indices that point outside their
    tensor are not followed: such a slot counts as padding, and such a scratch row is not written.

    Args:
        x_q, x_k, x_v: [1, T, H, 128] bf16, projections before the convolution; last stride 1.
        w_q, w_k, w_v: [C, 4] fp32 contiguous, convolution taps, oldest first.
        cs_q, cs_k, cs_v: [P, C, 3] bf16, the last three inputs, oldest first; any strides.
        g: [1, T, H, 128] bf16, forget-gate logits; last stride 1.
        beta: [1, T, H] bf16, write-strength logits.
        A_log: [H] fp32, log of the gate's rate.
        dt_bias: [C] fp32, the gate's bias.
        recurrent_state: [P, H, 128 (V), 128 (K)] fp32, committed state; any slot pitch that 4
            divides.
        intermediate_ssm: [R, at least T1, H, 128, 128] fp32, receives the state after every token;
            None or unused with rings.
        intermediate_state_indices: [N] int32, the scratch row of each request.
        intermediate_conv_q, intermediate_conv_k, intermediate_conv_v: [R, at least T1, C, 3] bf16,
            receive the window after every token; any strides.
        ssm_state_indices: [N] int32, the pool slot of each request.
        cu_seqlens: [N + 1] int32, token offsets.
        lower_bound: bound of the safe gate's log decay, negative (-5.0 for Kimi K3).
        scale: query scale, by default 128 ** -0.5.
        replayssm_rawv, replayssm_rawk: [P, H, L, 128] bf16, receive value and key after the
            convolution at positions 0 to T1 - 1; L at least T1. All four rings or none.
        replayssm_g: [P, H, L, 128] fp32, receives the log decay.
        replayssm_beta: [P, H, L] fp32, receives the write strength.
        onorm_gate: [1, T, H, 128] bf16, logits of the output gate. All three onorm_* or none.
        onorm_weight: [128] fp32, weight of the RMSNorm.
        onorm_eps: epsilon of the RMSNorm.
        round_conv: round the convolution's output to bf16 before use, so that a fold of the rings
            reproduces the state exactly; by default with rings only.
        validate: "host" checks what can be seen without reading device memory; "device" also
            checks lengths, slots and rows, and waits for the stream.

    Returns:
        [1, T, H, 128] bf16, with the strides of `torch.empty_like(x_v)`.

    Raises:
        ContractError: an argument breaks the contract; nothing was launched or written.
        DeviceContractError: `validate="device"` found lengths, slots or rows that break it.
        BackendUnavailableError: CPU tensors without TRITON_INTERPRET=1.
    """
    check_mode(validate)
    arguments = VerifyArguments(
        cs_q, cs_k, cs_v, beta, intermediate_conv_q, intermediate_conv_k, intermediate_conv_v,
        intermediate_state_indices, ssm_state_indices, cu_seqlens,
        x_q, x_k, x_v, g, w_q, w_k, w_v, A_log, dt_bias, recurrent_state,
        replayssm_rawv, replayssm_rawk, replayssm_g, replayssm_beta, onorm_gate, onorm_weight,
        intermediate_ssm, lower_bound, HEAD_DIM**-0.5 if scale is None else scale, onorm_eps,
    )  # fmt: skip
    sizes = check_host(arguments)
    if validate == "device":
        check_device(arguments, sizes)
    check_backend(x_q, INTERPRETED)
    out = torch.empty_like(x_v)
    if out.numel() > 0:
        _launch(arguments, sizes, out, sizes.has_rings if round_conv is None else round_conv)
    return out


def _launch(a: VerifyArguments, sizes: VerifySizes, out: Tensor, round_conv: bool) -> None:
    """Launch on the device and the current stream of the tensors."""
    with torch.cuda.device(a.x_q.get_device()):
        rings = streamable_rings(a, sizes)
        if rings is not None:
            launch_streamed(a, sizes, rings, out, round_conv)
        else:
            _launch_serial(a, sizes, out, round_conv)


def _launch_serial(a: VerifyArguments, sizes: VerifySizes, out: Tensor, round_conv: bool) -> None:
    """Walk the tokens one after another: any number of them, any decay."""
    N, H, T1 = sizes.N, sizes.H, sizes.T1
    tile = verify_tile(interpreted=INTERPRETED)
    snapshots = None if sizes.has_rings else a.intermediate_ssm
    pitches = () if snapshots is None else snapshots.stride()[:2]
    unit = pitch_unit(*pitches)
    rings = (a.replayssm_rawv, a.replayssm_rawk, a.replayssm_g, a.replayssm_beta)
    prepared = torch.empty((N * H, 6, T1, HEAD_DIM), dtype=torch.float32, device=out.device)
    verify_kernel[(N * H,)](
        a.x_q, a.x_k, a.x_v, a.w_q, a.w_k, a.w_v, a.cs_q, a.cs_k, a.cs_v, a.g, a.beta, a.A_log,
        a.dt_bias, a.recurrent_state, a.ssm_state_indices, a.cu_seqlens, snapshots,
        a.intermediate_state_indices, a.intermediate_conv_q, a.intermediate_conv_k,
        a.intermediate_conv_v, *rings, a.onorm_gate, a.onorm_weight, out, prepared,
        x_q_strides=a.x_q.stride()[1:3],
        x_k_strides=a.x_k.stride()[1:3],
        x_v_strides=a.x_v.stride()[1:3],
        cs_q_strides=a.cs_q.stride(),
        cs_k_strides=a.cs_k.stride(),
        cs_v_strides=a.cs_v.stride(),
        g_strides=a.g.stride()[1:3],
        beta_strides=a.beta.stride()[1:3],
        index_strides=(
            *a.ssm_state_indices.stride(),
            *a.cu_seqlens.stride(),
            *a.intermediate_state_indices.stride(),
        ),
        conv_q_strides=a.intermediate_conv_q.stride(),
        conv_k_strides=a.intermediate_conv_k.stride(),
        conv_v_strides=a.intermediate_conv_v.stride(),
        norm_gate_strides=None if a.onorm_gate is None else a.onorm_gate.stride()[1:3],
        out_strides=out.stride()[1:3],
        state_quads=a.recurrent_state.stride(0) // 4,
        snapshot_pitches=tuple(pitch // unit for pitch in pitches),
        ring_pitches=tuple(ring.stride(0) for ring in rings if ring is not None),
        lower_bound=a.lower_bound,
        scale=a.scale,
        eps=a.onorm_eps,
        N=N,
        T=N * T1,
        T1=T1,
        H=H,
        P=sizes.P,
        R=sizes.R,
        L=None if rings[0] is None else rings[0].shape[2],
        UNIT=unit,
        HAS_RINGS=sizes.has_rings,
        HAS_NORM=sizes.has_norm,
        ROUND_CONV=round_conv,
        BV=tile.rows,
        num_warps=tile.warps,
        **register_limit(tile.registers, out.get_device()),
    )  # fmt: skip
