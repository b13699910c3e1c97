"""Decode or verify of ragged requests: convolution, recurrence and norm as separate launches."""

from __future__ import annotations

from typing import Literal

import torch
import triton
from torch import Tensor

from kda_kernels.conv_kernel import conv_kernel
from kda_kernels.device_math import INTERPRETED
from kda_kernels.fallback_contract import (
    FallbackArguments,
    check_fallback,
    check_fallback_values,
)
from kda_kernels.input_contract import check_mode
from kda_kernels.launch import CONV_BLOCK
from kda_kernels.memory_contract import check_backend
from kda_kernels.onorm import apply_norm
from kda_kernels.recurrent import Scratch, launch_recurrence


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
    intermediate_ssm: Tensor | None = None,
    intermediate_state_indices: Tensor | None = None,
    intermediate_conv_q: Tensor | None = None,
    intermediate_conv_k: Tensor | None = None,
    intermediate_conv_v: Tensor | None = None,
    scale: float | None = None,
    replayssm_rawv: Tensor | None = None,
    replayssm_rawk: Tensor | None = None,
    replayssm_g: Tensor | None = None,
    replayssm_beta: Tensor | None = None,
    bias_q: Tensor | None = None,
    bias_k: Tensor | None = None,
    bias_v: Tensor | None = None,
    onorm_gate: Tensor | None = None,
    onorm_weight: Tensor | None = None,
    onorm_eps: float | None = None,
    round_conv: bool | None = None,
    state_v_first: bool = True,
    inplace: bool = False,
    validate: Literal["host", "device"] = "host",
) -> Tensor:
    """Process requests of any lengths from their pool slots.

    Takes every keyword of `fused_kda_decode_mtp_dspark` with the same meaning, and does what that
    op does for what it does not cover: ragged lengths, 0 included, HV value heads on H key heads,
    K and V of 64, 128 or 256, the softplus gate, a bias of the convolution. It is slower: it
    launches five kernels with fp32 intermediates between them.

    By default it verifies: pools are read only, and the scratch receives what every token does.
    With `inplace=True` it decodes: state and windows of the slots advance by all tokens.
    `reference_decode.kda_decode_fallback` states the equations.

    Args:
        x_q, x_k: [1, T, H, K] and x_v: [1, T, HV, V], bf16; last stride 1.
        w_q, w_k, w_v: [C, 4] fp32 contiguous, C = H K for q and k, HV V for v.
        cs_q, cs_k, cs_v: [P, C, 3] bf16, any strides; written with `inplace`.
        g: [1, T, HV, K] bf16, last stride 1; beta: [1, T, HV] bf16; both logits.
        A_log: [HV] fp32; dt_bias: [HV * K] fp32.
        recurrent_state: [P, HV, V, K] fp32, or [P, HV, K, V] with `state_v_first=False`; dense
            inside a slot; written with `inplace`.
        ssm_state_indices: [N] int32 or int64; a negative slot is padding: zeros in the output,
            nothing else is touched.
        cu_seqlens: [N + 1] int32 or int64, token offsets.
        lower_bound: bound of the safe gate's log decay, negative; None for the softplus gate.
        intermediate_ssm: [R, T1, ...slot of the pool] fp32; tokens past T1 are not kept.
        intermediate_state_indices: [N], scratch rows.
        intermediate_conv_q, intermediate_conv_k, intermediate_conv_v: [R, T1, C, 3] bf16.
        replayssm_rawv, replayssm_rawk, replayssm_g, replayssm_beta: rings [P, HV, L, V],
            [P, H, L, K], [P, HV, L, K] and [P, HV, L] in place of `intermediate_ssm`.
        bias_q, bias_k, bias_v: [C] fp32; all three or none.
        onorm_gate, onorm_weight, onorm_eps: fused gated RMSNorm, for V = 128.
        round_conv: round the convolution's output to bf16; by default with rings only.
        validate: "host" reads no device memory; "device" also checks offsets, slots and rows.

    Returns:
        [1, T, HV, V] bf16; rows of no live request are zero.

    Raises:
        ContractError: an argument breaks the contract; nothing was launched or written.
        DeviceContractError: `validate="device"` found offsets, slots or rows that break it.
        BackendUnavailableError: CPU tensors without TRITON_INTERPRET=1.
    """
    check_mode(validate)
    a = FallbackArguments(
        x_q=x_q,
        x_k=x_k,
        x_v=x_v,
        w_q=w_q,
        w_k=w_k,
        w_v=w_v,
        cs_q=cs_q,
        cs_k=cs_k,
        cs_v=cs_v,
        g=g,
        beta=beta,
        A_log=A_log,
        dt_bias=dt_bias,
        recurrent_state=recurrent_state,
        ssm_state_indices=ssm_state_indices,
        cu_seqlens=cu_seqlens,
        intermediate_ssm=intermediate_ssm,
        intermediate_state_indices=intermediate_state_indices,
        intermediate_conv_q=intermediate_conv_q,
        intermediate_conv_k=intermediate_conv_k,
        intermediate_conv_v=intermediate_conv_v,
        replayssm_rawv=replayssm_rawv,
        replayssm_rawk=replayssm_rawk,
        replayssm_g=replayssm_g,
        replayssm_beta=replayssm_beta,
        bias_q=bias_q,
        bias_k=bias_k,
        bias_v=bias_v,
        onorm_gate=onorm_gate,
        onorm_weight=onorm_weight,
    )
    scale = x_q.shape[-1] ** -0.5 if scale is None else scale
    sizes = check_fallback(
        a, lower_bound, scale, onorm_eps, state_v_first=state_v_first, inplace=inplace
    )
    if validate == "device":
        check_fallback_values(a, sizes.T, inplace)
    check_backend(x_q, INTERPRETED)

    rings = a.rings()
    rounded = rings is not None if round_conv is None else round_conv
    streams = [_convolve(a, stream, rounded=rounded, inplace=inplace) for stream in "qkv"]
    out = torch.empty(x_v.shape, dtype=x_v.dtype, device=x_v.device)
    o = out if onorm_gate is None else torch.empty_like(out, dtype=torch.float32)
    launch_recurrence(
        (*streams, g, beta, o),
        (A_log, dt_bias),
        (recurrent_state, recurrent_state if inplace else None),
        (ssm_state_indices, cu_seqlens),
        sizes,
        scale=scale,
        lower_bound=lower_bound,
        gate="softplus" if lower_bound is None else "safe",
        strength=1.0,
        normalise=True,
        state_v_first=state_v_first,
        scratch=_scratch(a),
    )
    if onorm_gate is not None and onorm_weight is not None and onorm_eps is not None:
        apply_norm(o, onorm_gate, onorm_weight, out, onorm_eps, keep_zero_rows=True)
    return out


def _convolve(a: FallbackArguments, stream: str, *, rounded: bool, inplace: bool) -> Tensor:
    """Convolution and SiLU of one stream in fp32; writes the windows where the call wants them."""
    x = getattr(a, f"x_{stream}")
    windows = getattr(a, f"cs_{stream}")
    scratch = getattr(a, f"intermediate_conv_{stream}")
    _, T, heads, D = x.shape
    y = torch.empty((1, T, heads, D), dtype=torch.float32, device=x.device)
    N, C = a.ssm_state_indices.numel(), heads * D
    if N == 0:
        return y
    indices = (a.ssm_state_indices, a.cu_seqlens, a.intermediate_state_indices)
    with torch.cuda.device(x.get_device()):
        conv_kernel[(N, triton.cdiv(C, CONV_BLOCK))](
            x,
            getattr(a, f"w_{stream}"),
            getattr(a, f"bias_{stream}"),
            windows,
            scratch,
            y,
            *indices,
            T,
            windows.shape[0],
            0 if scratch is None else scratch.shape[0],
            0 if scratch is None else scratch.shape[1],
            C,
            D,
            (0, *x.stride()[1:]),
            (0, C, 1),
            windows.stride(),
            (0, 0, 0, 0) if scratch is None else scratch.stride(),
            tuple(0 if index is None else index.stride(0) for index in indices),
            ACTIVATE=True,
            ROUND=rounded,
            IN_PLACE=inplace,
            BLOCK=CONV_BLOCK,
            num_warps=4,
        )
    return y


def _scratch(a: FallbackArguments) -> Scratch:
    rings = a.rings()
    if rings is not None:
        return Scratch(a.intermediate_state_indices, None, *rings, steps=rings.rawv.shape[2])
    if a.intermediate_ssm is not None:
        rows, snapshots = a.intermediate_state_indices, a.intermediate_ssm
        return Scratch(rows, snapshots, steps=snapshots.shape[1])
    return Scratch()
