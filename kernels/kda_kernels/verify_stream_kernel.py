"""Second launch of the streamed verify: the one pass over the state.

One program per request and head computes R = S [kd; qd]^T over tiles of 32 key channels, which
Triton pipelines through shared memory, then the output (R - [V; 0]) [-Z, 1]^T, its norm, and the
value's window and ring. `verify_prologue_kernel` derives the algebra and writes the operands.

The state's product takes three bf16 passes (`bf16x3`): one tf32 pass is 4 us of 80 faster at
N = 256, and leaves one output in 5,000 further than one bf16 rounding from the reference.
"""

# Triton compiles these functions from their source: their values have no Python types, and a
# device function has one parameter per value. A kernel walks over its tensors in one straight line.
# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators
# ruff: noqa: ANN001, ANN201, PLR0912, PLR0915

from __future__ import annotations

import triton
import triton.language as tl
from triton.language.extra.cuda import gdc_wait

from kda_kernels.delta_rule import live_slot
from kda_kernels.device_math import dot_precision, inverse_root, round_to_bf16, sigmoid
from kda_kernels.verify_tokens import (
    convolve_rows,
    load_request_inputs,
    load_taps,
    request_span,
    store_request_windows,
    zero_uncomputed_rows,
)


@triton.jit(do_not_specialize=["N", "T", "P", "R"])
def verify_stream_kernel(
    x_v, w_v, cs_v, state, slots, cu_seqlens, scratch_rows, conv_v, rawv, stacked, matrices,
    norm_gate, norm_weight, out,
    x_v_strides, cs_v_strides, slots_strides, cu_strides, rows_strides, conv_v_strides,
    norm_gate_strides, out_strides, state_quads, rawv_pitch,
    eps, N, T, H, P, R, L,
    T1: tl.constexpr, TT: tl.constexpr, HAS_NORM: tl.constexpr, ROUND_CONV: tl.constexpr,
    BK: tl.constexpr, STAGES: tl.constexpr, OVERLAP: tl.constexpr, EARLY: tl.constexpr,
):  # fmt: skip
    """Output of one request and head. The grid is (N * H,).

    With OVERLAP only what the first launch does not write is read before the wait for it. With
    EARLY the value's inputs, the gate and the matrix are read before the state.
    """
    D: tl.constexpr = 128
    program = tl.program_id(0)
    n = program // H
    head = (program % H).to(tl.int64)
    slot = live_slot(slots, n, slots_strides[0], P)
    begin, end, length = request_span(cu_seqlens, cu_strides[0], n, T, T1)
    length = tl.where(slot < 0, 0, length)
    value = tl.arange(0, D)
    out_row = out + head * out_strides[1] + value
    zero_uncomputed_rows(out_row, out_strides[0], n, N, begin, length, end, T, D)
    if length == 0:
        return
    token = begin.to(tl.int64)
    channel = head * D + value
    t = tl.arange(0, TT)
    both = tl.arange(0, 2 * TT)

    # In units of 16 bytes the compiler knows that rows are aligned, and loads them 16 bytes wide.
    part = tl.arange(0, BK)
    state_tile = (
        state + slot * state_quads * 4 + head * (D * D) + value[:, None] * D + part[None, :]
    )
    rows = stacked + program.to(tl.int64) * (3 * TT * D) + both[:, None] * D + part[None, :]
    products = tl.zeros([D, 2 * TT], tl.float32)
    has_token = (t < length)[:, None]
    if HAS_NORM:
        gates = (
            norm_gate
            + (token + t)[:, None] * norm_gate_strides[0]
            + head * norm_gate_strides[1]
            + value[None, :]
        )
    # What the tail needs is on its way while the state streams, if registers can hold it.
    if EARLY:
        u0, u1, u2, u3 = load_request_inputs(
            x_v, x_v_strides, cs_v, cs_v_strides, token, slot, head, t, length
        )
        if HAS_NORM:
            gate = tl.load(gates, mask=has_token, other=0.0)
    w0, w1, w2, w3 = load_taps(w_v, channel)
    if HAS_NORM:
        weight = tl.load(norm_weight + value)
    row = tl.load(scratch_rows + n * rows_strides[0]).to(tl.int64)
    if OVERLAP:
        gdc_wait()
    cells = matrices + program.to(tl.int64) * (2 * TT * TT) + t[:, None] * (2 * TT) + both[None, :]
    if EARLY:
        matrix = tl.load(cells)
    for k in tl.range(0, D, BK, num_stages=STAGES):
        S = tl.load(state_tile + k)
        kd_qd = tl.load(rows + k)
        products = tl.dot(S, tl.trans(kd_qd), products, input_precision=dot_precision("bf16x3"))

    if not EARLY:
        u0, u1, u2, u3 = load_request_inputs(
            x_v, x_v_strides, cs_v, cs_v_strides, token, slot, head, t, length
        )
        if HAS_NORM:
            gate = tl.load(gates, mask=has_token, other=0.0)
        matrix = tl.load(cells)
    v = convolve_rows(u0, u1, u2, u3, w0, w1, w2, w3)
    rounded = round_to_bf16(v)
    tl.store(
        rawv + slot * rawv_pitch + (head * L + t)[:, None] * D + value[None, :],
        rounded,
        mask=has_token,
    )
    if (row >= 0) & (row < R):
        store_request_windows(conv_v, conv_v_strides, row, head, u1, u2, u3, t, length)
    if ROUND_CONV:
        v = rounded
    v = tl.where(has_token, v, 0.0)
    v_and_zero = tl.reshape(tl.permute(tl.join(v, tl.zeros_like(v)), (1, 2, 0)), (D, 2 * TT))
    o = tl.dot(products - v_and_zero, tl.trans(matrix), input_precision=dot_precision("tf32x3"))
    if HAS_NORM:
        o = o * inverse_root(tl.sum(o * o, axis=0) / D + eps)[None, :]
    o = tl.trans(o)
    if HAS_NORM:
        o = o * weight[None, :] * sigmoid(gate.to(tl.float32))
    tl.store(
        out_row[None, :] + (token + t)[:, None] * out_strides[0], round_to_bf16(o), mask=has_token
    )
