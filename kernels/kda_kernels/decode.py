"""One decode step of Kimi Delta Attention, fused and in place."""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor

from kda_kernels.contract import HEAD_DIM
from kda_kernels.decode_contract import DecodeArguments, check_decode, check_decode_values
from kda_kernels.decode_kernel import decode_kernel
from kda_kernels.device_math import INTERPRETED
from kda_kernels.input_contract import check_mode
from kda_kernels.launch import DECODE, VECTOR, register_limit
from kda_kernels.memory_contract import check_backend


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
    validate: Literal["host", "device"] = "host",
) -> Tensor:
    """Decode one token of each of N requests and advance their state and convolution windows.

    The arguments are those of `fused_kda_decode_mtp_dspark` without its scratch: H heads,
    C = 128 H channels, P pool slots. `reference_decode.kda_decode` states the equations. Only the
    output is allocated, so a call can be captured in a CUDA graph. The first one compiles, which
    takes seconds.

    A request whose slot is negative, or past the pool, is padding: its output is zero and nothing
    else is touched. Slots of live requests are distinct.

    Args:
        x_q, x_k, x_v: [1, N, H, 128] bf16, projections before the convolution; last stride 1.
        w_q, w_k, w_v: [C, 4] fp32 contiguous, convolution taps, oldest first.
        cs_q, cs_k, cs_v: [P, C, 3] bf16, the last three inputs, oldest first, any strides;
            shifted in place.
        g: [1, N, H, 128] bf16, forget-gate logits; last stride 1.
        beta: [1, N, H] bf16, write-strength logits.
        A_log: [H] fp32, log of the gate's rate; dt_bias: [C] fp32, the gate's bias.
        recurrent_state: [P, H, 128 (V), 128 (K)] fp32, any slot pitch that 4 divides; updated in
            place.
        ssm_state_indices: [N] int32 or int64, pool slots, any stride.
        lower_bound: bound of the safe gate's log decay, negative; None for the softplus gate.
        scale: query scale, by default 128 ** -0.5.
        bias_q, bias_k, bias_v: [C] fp32, bias of the convolution; all three or none.
        onorm_gate: [1, N, H, 128] bf16, onorm_weight: [128] fp32 and onorm_eps: gated RMSNorm of
            the output; all three or none.
        validate: "host" reads no device memory; "device" also checks the slots, and waits for the
            stream.

    Returns:
        [1, N, H, 128] bf16.

    Raises:
        ContractError: an argument breaks the contract; nothing was launched or written.
        DeviceContractError: `validate="device"` found a slot past the pool or used twice.
        BackendUnavailableError: CPU tensors without TRITON_INTERPRET=1.
    """
    check_mode(validate)
    a = DecodeArguments(
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
        bias_q=bias_q,
        bias_k=bias_k,
        bias_v=bias_v,
        onorm_gate=onorm_gate,
        onorm_weight=onorm_weight,
    )
    scale = HEAD_DIM**-0.5 if scale is None else scale
    N, H = check_decode(a, lower_bound, scale, onorm_eps)
    if validate == "device":
        check_decode_values(a)
    check_backend(x_q, INTERPRETED)
    out = torch.empty((1, N, H, HEAD_DIM), dtype=x_v.dtype, device=x_v.device)
    if N > 0:
        with torch.cuda.device(x_q.get_device()):
            decode_kernel[(N * H,)](
                *a,
                out,
                0.0 if lower_bound is None else lower_bound,
                scale,
                onorm_eps or 0.0,
                recurrent_state.shape[0],
                H,
                ssm_state_indices.stride(0),
                tuple(x.stride()[1:3] for x in (x_q, x_k, x_v, g, beta)),
                onorm_gate.stride()[1:3] if onorm_gate is not None else (0, 0),
                tuple(x.stride() for x in (cs_q, cs_k, cs_v)),
                recurrent_state.stride(0) // VECTOR,
                SAFE=lower_bound is not None,
                BV=DECODE.rows,
                num_warps=DECODE.warps,
                **register_limit(DECODE.registers, x_q.get_device()),
            )
    return out
