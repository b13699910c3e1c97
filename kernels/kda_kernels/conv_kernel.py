"""The depthwise convolution of width 4 over ragged requests, for fallback and conv1d update.

One program per request and block of channels walks the request's tokens with the window in
registers. It alone reads and writes the window of its channels, so it may store it in place.
"""

# Triton compiles these functions from their source and gives their values no Python types.
# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators
# ruff: noqa: ANN001, ANN201, ANN202

from __future__ import annotations

import triton
import triton.language as tl

from kda_kernels.delta_rule import live_slot
from kda_kernels.device_math import lanes_if, round_to_bf16
from kda_kernels.gate_device import cast, conv_sum, silu


@triton.jit
def segment(cu_seqlens, n, stride, T):
    """First token and number of tokens of request n; never outside the T tokens.

    Without offsets every request has T tokens of its own and starts at 0.
    """
    if cu_seqlens is None:
        begin = tl.zeros((), tl.int64)
        length = begin + T
    else:
        begin = tl.load(cu_seqlens + n * stride).to(tl.int64)
        begin = tl.minimum(tl.maximum(begin, 0), T)
        end = tl.load(cu_seqlens + (n + 1) * stride).to(tl.int64)
        length = tl.minimum(tl.maximum(end, begin), T) - begin
    return begin, length.to(tl.int32)


@triton.jit
def _store_window(window, strides, u0, u1, u2, inside):
    tl.store(window, u0, mask=inside)
    tl.store(window + strides, u1, mask=inside)
    tl.store(window + 2 * strides, u2, mask=inside)


@triton.jit
def conv_kernel(
    x,
    taps,
    bias,
    windows,
    scratch,
    y,
    slots,
    cu_seqlens,
    rows,
    T,
    P,
    R,
    STEPS,
    C,
    HEAD_DIM,
    x_strides,
    y_strides,
    window_strides,
    scratch_strides,
    index_strides,
    ACTIVATE: tl.constexpr,
    ROUND: tl.constexpr,
    IN_PLACE: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """Convolve one stream; the grid is (N, C / BLOCK).

    Strides: x (request, token, head, channel in head), y (request, token, channel), windows (slot,
    channel, tap), scratch (row, step, channel, tap), indices (slots, cu_seqlens, rows).
    """
    n = tl.program_id(0).to(tl.int64)
    at = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = at < C
    wide = at.to(tl.int64)
    begin, length = segment(cu_seqlens, n, index_strides[1], T)
    OUT: tl.constexpr = y.dtype.element_ty
    y += n * y_strides[0] + wide * y_strides[2]
    slot = n
    if slots is not None:
        slot = live_slot(slots, n, index_strides[0], P)
    if slot < 0:
        for t in range(length):
            tl.store(y + (begin + t) * y_strides[1], tl.zeros((BLOCK,), OUT), mask=inside)
        return

    w0 = tl.load(taps + wide * 4, mask=inside, other=0.0).to(tl.float32)
    w1 = tl.load(taps + wide * 4 + 1, mask=inside, other=0.0).to(tl.float32)
    w2 = tl.load(taps + wide * 4 + 2, mask=inside, other=0.0).to(tl.float32)
    w3 = tl.load(taps + wide * 4 + 3, mask=inside, other=0.0).to(tl.float32)
    b = tl.zeros((BLOCK,), tl.float32)
    if bias is not None:
        b = tl.load(bias + wide, mask=inside, other=0.0).to(tl.float32)
    window = windows + slot * window_strides[0] + wide * window_strides[1]
    u0 = tl.load(window, mask=inside, other=0.0)
    u1 = tl.load(window + window_strides[2], mask=inside, other=0.0)
    u2 = tl.load(window + window_strides[2] + window_strides[2], mask=inside, other=0.0)
    row = tl.full((), -1, tl.int64)
    if scratch is not None:
        row = live_slot(rows, n, index_strides[2], R)
        scratch += row * scratch_strides[0] + wide * scratch_strides[2]

    x += n * x_strides[0] + wide // HEAD_DIM * x_strides[2] + wide % HEAD_DIM * x_strides[3]
    for t in range(length):
        u3 = tl.load(x + (begin + t) * x_strides[1], mask=inside, other=0.0)
        a0, a1, a2, a3 = u0.to(tl.float32), u1.to(tl.float32), u2.to(tl.float32), u3.to(tl.float32)
        value = conv_sum(a0, a1, a2, a3, w0, w1, w2, w3, b)
        if ACTIVATE:
            value = silu(value)
        if ROUND:
            value = round_to_bf16(value)
        tl.store(y + (begin + t) * y_strides[1], cast(value, OUT), mask=inside)
        u0, u1, u2 = u1, u2, u3
        if scratch is not None:
            kept = inside & lanes_if(at, (row >= 0) & (t < STEPS))
            _store_window(
                scratch + (begin * 0 + t) * scratch_strides[1], scratch_strides[3], u0, u1, u2, kept
            )
    if IN_PLACE:
        # Threads that share a channel must all have read its window before one of them stores.
        tl.debug_barrier()
        _store_window(window, window_strides[2], u0, u1, u2, inside)
