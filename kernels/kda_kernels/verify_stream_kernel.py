"""Second launch of the streamed verify: the one pass over the state.

One program per request and head computes R = S [kd; qd]^T over tiles of key channels, which Triton
pipelines through shared memory, then the output (R - [V; 0]) [-Z, 1]^T, its norm, and the
value's window and ring. `verify_prologue_kernel` derives the algebra and writes the operands.

The state's product takes three bf16 passes: one tf32 pass leaves one output in 5,000 further than
one bf16 rounding from the reference, this one in 400,000.
"""

# Triton compiles these functions from their source: their values have no Python types, and a
# device function has one parameter per value. A kernel walks over its tensors in one straight line.
# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators
# ruff: noqa: ANN001, ANN201, ANN202, PLR0915

from __future__ import annotations

import triton
import triton.language as tl
from triton.language.extra.cuda import gdc_wait

from kda_kernels.delta_rule import live_slot
from kda_kernels.device_math import (
    discard_lines,
    dot_precision,
    inverse_root,
    prefetch_lines,
    round_to_bf16,
    sigmoid,
)
from kda_kernels.verify_tokens import (
    OPERAND_SCALE,
    add_split_product,
    convolve_rows,
    load_request_inputs,
    load_taps,
    request_span,
    split_bf16,
    store_request_windows,
    zero_uncomputed_rows,
)


@triton.jit
def _outputs(products, matrix, t, TS: tl.constexpr):
    """products [128, 2 TS] by [-Z, 1]^T: the outputs [128, TT] of the tokens t [TT]."""
    if TS == 4:
        # Tensor cores sum 16 products: every second one is zero.
        column = tl.arange(0, 16)
        products = tl.reshape(tl.join(products, tl.zeros_like(products)), (128, 16))
        m = tl.load(
            matrix + t[:, None] * 8 + (column // 2)[None, :],
            mask=(column % 2 == 0)[None, :],
            other=0.0,
        )
    else:
        m = tl.load(matrix + t[:, None] * (2 * TS) + tl.arange(0, 2 * TS)[None, :])
    return tl.dot(products, tl.trans(m), input_precision=dot_precision("tf32x3"))


@triton.jit(do_not_specialize=["N", "T", "P", "R"])
def verify_stream_kernel(
    x_v, w_v, cs_v, state, slots, cu_seqlens, scratch_rows, conv_v, rawv, stacked, matrices,
    norm_gate, norm_weight, out,
    x_v_strides, cs_v_strides, slots_strides, cu_strides, rows_strides, conv_v_strides,
    norm_gate_strides, out_strides, state_quads, rawv_pitch,
    eps, N, T, H, P, R, L,
    T1: tl.constexpr, TS: tl.constexpr, HAS_NORM: tl.constexpr, ROUND_CONV: tl.constexpr,
    BK: tl.constexpr, STAGES: tl.constexpr, OVERLAP: tl.constexpr,
):  # fmt: skip
    """Output of one request and head. The grid is (N * H,).

    With OVERLAP only what the first launch does not write is read before the wait for it. TS and TT
    are those of the first launch.
    """
    D: tl.constexpr = 128
    TT: tl.constexpr = TS if TS > 8 else 8
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
    s = tl.arange(0, TS)
    both = tl.arange(0, 2 * TS)

    # In units of 16 bytes the compiler knows that rows are aligned, and loads them 16 bytes wide.
    part = tl.arange(0, BK)
    state += slot * state_quads * 4 + head * (D * D)
    state_tile = state + value[:, None] * D + part[None, :]
    mine = stacked.to(tl.pointer_type(tl.bfloat16)) + program.to(tl.int64) * (6 * TS * D)
    rows = mine + both[:, None] * D + part[None, :]
    products = tl.zeros([D, 2 * TS], tl.float32)
    has_token = (s < length)[:, None]
    w0, w1, w2, w3 = load_taps(w_v, channel)
    if HAS_NORM:
        weight = tl.load(norm_weight + value)
    row = tl.load(scratch_rows + n * rows_strides[0]).to(tl.int64)
    matrix_at = matrices + program.to(tl.int64) * (2 * TT * TS)
    if OVERLAP:
        # One line of each row: with more of them the call takes longer.
        prefetch_lines(state + value * D)
        gdc_wait()
    for k in tl.range(0, D, BK, num_stages=STAGES):
        S_high, S_low = split_bf16(tl.load(state_tile + k))
        high = tl.trans(tl.load(rows + k))
        low = tl.trans(tl.load(rows + 2 * TS * D + k))
        products = add_split_product(products, S_high, S_low, high, low)

    u0, u1, u2, u3 = load_request_inputs(
        x_v, x_v_strides, cs_v, cs_v_strides, token, slot, head, s, length
    )
    has_output = (t < length)[:, None]
    if HAS_NORM:
        gate_row = norm_gate + head * norm_gate_strides[1] + value[None, :]
        gate = tl.load(
            gate_row + (token + t)[:, None] * norm_gate_strides[0], mask=has_output, other=0.0
        )
    v = convolve_rows(u0, u1, u2, u3, w0, w1, w2, w3)
    rounded = round_to_bf16(v)
    tl.store(
        rawv + slot * rawv_pitch + (head * L + s)[:, None] * D + value[None, :],
        rounded,
        mask=has_token,
    )
    if (row >= 0) & (row < R):
        store_request_windows(conv_v, conv_v_strides, row, head, u1, u2, u3, s, length)
    if ROUND_CONV:
        v = rounded
    v = tl.where(has_token, v, 0.0)
    products *= 1.0 / OPERAND_SCALE
    v_and_zero = tl.reshape(tl.permute(tl.join(v, tl.zeros_like(v)), (1, 2, 0)), (D, 2 * TS))
    o = _outputs(products - v_and_zero, matrix_at, t, TS)
    if HAS_NORM:
        o = o * inverse_root(tl.sum(o * o, axis=0) / D + eps)[None, :]
    o = tl.trans(o)
    if HAS_NORM:
        o = o * weight[None, :] * sigmoid(gate.to(tl.float32))
    tl.store(
        out_row[None, :] + (token + t)[:, None] * out_strides[0], round_to_bf16(o), mask=has_output
    )

    # All have read both operands, 8.5 KB at T1=8, which then need not reach memory.
    tl.debug_barrier()
    discard_lines(mine + tl.arange(0, 8 * TS) * 64)
    discard_lines(matrix_at + tl.arange(0, TT * TS // 16) * 32)
