"""The Triton kernel of `kda_decode`.

One program per request and head walks the head's state in steps of BV value rows; as there is one
token, the steps are independent. That makes the program the only reader and the only writer of the
head's convolution windows, which it shifts in place: with several programs a head, one could shift
a window that another has yet to read.
"""

# Triton compiles these functions from their source and gives their values no Python types.
# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators
# ruff: noqa: ANN001, ANN201, ANN202

from __future__ import annotations

import triton
import triton.language as tl

from kda_kernels.delta_rule import delta_step, l2_normalise, live_slot, tile_offsets
from kda_kernels.device_math import inverse_root, round_to_bf16, sigmoid
from kda_kernels.gate_device import conv_sum, log_decay, silu


@triton.jit
def _convolve(x, window, taps, bias, at, strides):
    """SiLU of the convolution at the channels `at`, and the two inputs that stay stored."""
    stored = window + at.to(tl.int64) * strides[1]
    u0 = tl.load(stored).to(tl.float32)
    u1 = tl.load(stored + strides[2])
    u2 = tl.load(stored + strides[2] + strides[2])
    w0, w1 = tl.load(taps + at * 4), tl.load(taps + at * 4 + 1)
    w2, w3 = tl.load(taps + at * 4 + 2), tl.load(taps + at * 4 + 3)
    b = 0.0
    if bias is not None:
        b = tl.load(bias + at)
    y = conv_sum(u0, u1.to(tl.float32), u2.to(tl.float32), x.to(tl.float32), w0, w1, w2, w3, b)
    return silu(y), u1, u2


@triton.jit
def _shift(window, at, strides, u1, u2, x):
    stored = window + at.to(tl.int64) * strides[1]
    tl.store(stored, u1)
    tl.store(stored + strides[2], u2)
    tl.store(stored + strides[2] + strides[2], x)


@triton.jit
def decode_kernel(
    x_q,
    x_k,
    x_v,
    w_q,
    w_k,
    w_v,
    cs_q,
    cs_k,
    cs_v,
    g,
    beta,
    A_log,
    dt_bias,
    state,
    slots,
    bias_q,
    bias_k,
    bias_v,
    norm_gate,
    norm_weight,
    out,
    lower_bound,
    scale,
    eps,
    P,
    H,
    slots_stride,
    token_strides,
    gate_strides,
    window_strides,
    slot_vectors,
    SAFE: tl.constexpr,
    BV: tl.constexpr,
):
    """Decode one token; the grid is (N * H). The slot pitch is in vectors of 4 elements."""
    D: tl.constexpr = 128
    n = (tl.program_id(0) // H).to(tl.int64)
    head = tl.program_id(0) % H
    lane = tl.arange(0, D)
    STEPS: tl.constexpr = D // BV
    steps = tl.arange(0, STEPS)
    row = steps[:, None] * BV + tl.arange(0, BV)[None, :]
    out += (n * H + head) * D
    slot = live_slot(slots, n, slots_stride, P)
    if slot < 0:
        tl.store(out + lane, tl.zeros((D,), out.dtype.element_ty))
        return

    state += slot * slot_vectors * 4 + head * (D * D)
    ahead = tl.load(state + tile_offsets(0, BV, D, D, 1))

    at = head * D + lane
    cs_q += slot * window_strides[0][0]
    cs_k += slot * window_strides[1][0]
    cs_v += slot * window_strides[2][0]
    xq = tl.load(x_q + n * token_strides[0][0] + head * token_strides[0][1] + lane)
    xk = tl.load(x_k + n * token_strides[1][0] + head * token_strides[1][1] + lane)
    xv = tl.load(x_v + n * token_strides[2][0] + head * token_strides[2][1] + lane)
    q, q1, q2 = _convolve(xq, cs_q, w_q, bias_q, at, window_strides[0])
    k, k1, k2 = _convolve(xk, cs_k, w_k, bias_k, at, window_strides[1])
    v, v1, v2 = _convolve(xv, cs_v, w_v, bias_v, at, window_strides[2])
    # Several threads read each channel; none may shift it before the last of them has.
    tl.debug_barrier()
    _shift(cs_q, at, window_strides[0], q1, q2, xq)
    _shift(cs_k, at, window_strides[1], k1, k2, xk)
    _shift(cs_v, at, window_strides[2], v1, v2, xv)

    logit = tl.load(g + n * token_strides[3][0] + head * token_strides[3][1] + lane)
    rate = tl.exp(tl.load(A_log + head))
    gamma = log_decay(logit.to(tl.float32), tl.load(dt_bias + at), rate, lower_bound, SAFE)
    strength = tl.load(beta + n * token_strides[4][0] + head * token_strides[4][1])
    decay, strength = tl.exp(gamma), sigmoid(strength.to(tl.float32))
    q = l2_normalise(q) * scale
    k = l2_normalise(k)
    after = tl.load(state + tile_offsets(1, BV, D, D, 1))
    values = tl.reshape(v, (STEPS, BV))
    o = tl.zeros((STEPS, BV), tl.float32)
    for step in tl.static_range(STEPS):
        S, ahead = ahead, after
        if step + 2 < STEPS:
            after = tl.load(state + tile_offsets(step + 2, BV, D, D, 1))
        here = steps[:, None] == step
        S = delta_step(S, k, tl.sum(tl.where(here, values, 0.0), axis=0), decay, strength)
        tl.store(state + tile_offsets(step, BV, D, D, 1), S)
        o = tl.where(here, tl.sum(S * q[None, :], axis=1)[None, :], o)

    if norm_gate is not None:
        gate = tl.load(norm_gate + n * gate_strides[0] + head * gate_strides[1] + row)
        o *= inverse_root(tl.sum(o * o) / D + eps)
        o *= tl.load(norm_weight + row) * sigmoid(gate.to(tl.float32))
    tl.store(out + row, round_to_bf16(o))
