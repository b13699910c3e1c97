"""The Triton kernel of `fused_kda_decode_mtp_dspark`.

One program per request, head and tile of value rows walks the request's tokens with its part of
the state in registers: convolution and SiLU, L2 norm, gate, delta rule, query, output norm. Tiles
of a head repeat the work on q, k and gate; the first one writes it. Committed state and windows
are read only.

A slot, row or token times its pitch passes 2**31 in pools of a few hundred slots, so those are
64-bit. Slots outside the pool count as padding, and scratch rows outside the scratch are not
written: an index that nothing checked must not reach another tensor's memory.
"""

# Triton compiles these functions from their source: their values have no Python types, a device
# function has one parameter per value, and the walk over the tokens is one straight line.
# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators
# ruff: noqa: ANN001, ANN201, ANN202, PLR0915

from __future__ import annotations

import triton
import triton.language as tl

from kda_kernels.delta_rule import delta_step, l2_normalise, live_slot
from kda_kernels.device_math import (
    conv_silu,
    gated_rms_norm,
    round_to_bf16,
    safe_log_decay,
    sigmoid,
)


@triton.jit
def _load_taps(weight, channel):
    """The four taps of each channel, oldest first."""
    taps = weight + channel * 4
    return tl.load(taps), tl.load(taps + 1), tl.load(taps + 2), tl.load(taps + 3)


@triton.jit
def _load_window(windows, strides, slot, channel):
    """The three stored inputs of each channel of a slot, oldest first."""
    window = windows + slot * strides[0] + channel * strides[1]
    u0 = tl.load(window).to(tl.float32)
    u1 = tl.load(window + strides[2]).to(tl.float32)
    u2 = tl.load(window + 2 * strides[2]).to(tl.float32)
    return u0, u1, u2


@triton.jit
def _store_window(windows, strides, row, step, channel, u0, u1, u2):
    """Store the window after a token; the inputs are bf16 already, so nothing is rounded."""
    window = windows + row * strides[0] + step * strides[1] + channel * strides[2]
    tl.store(window, u0)
    tl.store(window + strides[3], u1)
    tl.store(window + 2 * strides[3], u2)


@triton.jit
def _load_row(x, strides, token, head, channel):
    """The channels of a token and head, widened."""
    return tl.load(x + token * strides[0] + head * strides[1] + channel).to(tl.float32)


# A batch of another size must not compile again, nor round in another way.
@triton.jit(do_not_specialize=["N", "T", "T1", "P", "R"])
def verify_kernel(
    x_q, x_k, x_v, w_q, w_k, w_v, cs_q, cs_k, cs_v, g, beta, A_log, dt_bias,
    state, slots, cu_seqlens, snapshots, scratch_rows, conv_q, conv_k, conv_v,
    rawv, rawk, ring_g, ring_beta, norm_gate, norm_weight, out,
    x_q_strides, x_k_strides, x_v_strides, cs_q_strides, cs_k_strides, cs_v_strides,
    g_strides, beta_strides, slots_strides, cu_strides, rows_strides,
    conv_q_strides, conv_k_strides, conv_v_strides, norm_gate_strides, out_strides,
    state_quads, snapshot_pitch, snapshot_step,
    rawv_pitch, rawk_pitch, ring_g_pitch, ring_beta_pitch,
    lower_bound, scale, eps,
    N, T, T1, H, P, R, L,
    HAS_RINGS: tl.constexpr, HAS_NORM: tl.constexpr, ROUND_CONV: tl.constexpr,
    BV: tl.constexpr,
):  # fmt: skip
    """Verify T1 tokens of one request and head, for BV value rows.

    The grid is (N * H, 128 / BV). Strides are tuples, of token and head for activations and of all
    dimensions for the others. States and rings are dense inside a slot or step, so they come with
    the pitch of the slot or row alone.
    """
    D: tl.constexpr = 128
    n = tl.program_id(0) // H
    h = tl.program_id(0) % H
    tile = tl.program_id(1)
    key = tl.arange(0, D)
    value = tile * BV + tl.arange(0, BV)
    head = h.to(tl.int64)

    slot = live_slot(slots, n, slots_strides[0], P)
    begin = tl.minimum(tl.maximum(tl.load(cu_seqlens + n * cu_strides[0]), 0), T)
    end = tl.minimum(tl.maximum(tl.load(cu_seqlens + (n + 1) * cu_strides[0]), begin), T)
    length = tl.where(slot < 0, 0, tl.minimum(end - begin, T1))

    # Output rows that nobody computes are zero: padding, what a request has past T1 tokens, and
    # tokens before the first or after the last request.
    out_rows = out + head * out_strides[1] + value
    nothing = tl.zeros([BV], dtype=tl.float32)
    for before in range(tl.where(n == 0, 0, begin), begin):
        tl.store(out_rows + tl.cast(before, tl.int64) * out_strides[0], nothing)
    for after in range(begin + length, tl.where(n == N - 1, T, end)):
        tl.store(out_rows + tl.cast(after, tl.int64) * out_strides[0], nothing)
    if length == 0:
        return

    tile_offsets = value[:, None] * D + key[None, :]
    # In units of 16 bytes the compiler knows that rows are aligned, and loads them 16 bytes wide.
    S = tl.load(state + slot * state_quads * 4 + head * (D * D) + tile_offsets)

    key_channel = head * D + key
    value_channel = head * D + value
    q0, q1, q2 = _load_window(cs_q, cs_q_strides, slot, key_channel)
    k0, k1, k2 = _load_window(cs_k, cs_k_strides, slot, key_channel)
    v0, v1, v2 = _load_window(cs_v, cs_v_strides, slot, value_channel)
    wq0, wq1, wq2, wq3 = _load_taps(w_q, key_channel)
    wk0, wk1, wk2, wk3 = _load_taps(w_k, key_channel)
    wv0, wv1, wv2, wv3 = _load_taps(w_v, value_channel)
    rate = tl.exp(tl.load(A_log + h))
    bias = tl.load(dt_bias + key_channel)
    if HAS_NORM:
        weight = tl.load(norm_weight + value)

    row = tl.load(scratch_rows + n * rows_strides[0]).to(tl.int64)
    has_row = (row >= 0) & (row < R)

    for t in range(length):
        step = tl.cast(t, tl.int64)
        token = (begin + t).to(tl.int64)
        xq = _load_row(x_q, x_q_strides, token, head, key)
        xk = _load_row(x_k, x_k_strides, token, head, key)
        xv = _load_row(x_v, x_v_strides, token, head, value)
        logit = _load_row(g, g_strides, token, head, key)
        strength = sigmoid(_load_row(beta, beta_strides, token, head, 0))

        cq = conv_silu(q0, q1, q2, xq, wq0, wq1, wq2, wq3)
        ck = conv_silu(k0, k1, k2, xk, wk0, wk1, wk2, wk3)
        cv = conv_silu(v0, v1, v2, xv, wv0, wv1, wv2, wv3)
        q0, q1, q2 = q1, q2, xq
        k0, k1, k2 = k1, k2, xk
        v0, v1, v2 = v1, v2, xv
        if ROUND_CONV:
            cq, ck, cv = round_to_bf16(cq), round_to_bf16(ck), round_to_bf16(cv)
        gamma = safe_log_decay(logit, bias, rate, lower_bound)

        if HAS_RINGS:
            entry = head * L + step
            tl.store(rawv + slot * rawv_pitch + entry * D + value, round_to_bf16(cv))
            if tile == 0:
                tl.store(rawk + slot * rawk_pitch + entry * D + key, round_to_bf16(ck))
                tl.store(ring_g + slot * ring_g_pitch + entry * D + key, gamma)
                tl.store(ring_beta + slot * ring_beta_pitch + entry, strength)

        S = delta_step(S, l2_normalise(ck), cv, tl.exp(gamma), strength)
        if has_row:
            _store_window(conv_v, conv_v_strides, row, step, value_channel, v0, v1, v2)
            if tile == 0:
                _store_window(conv_q, conv_q_strides, row, step, key_channel, q0, q1, q2)
                _store_window(conv_k, conv_k_strides, row, step, key_channel, k0, k1, k2)
            if not HAS_RINGS:
                snapshot = snapshots + row * snapshot_pitch + step * snapshot_step
                tl.store(snapshot + head * (D * D) + tile_offsets, S)

        o = tl.sum(S * (l2_normalise(cq) * scale)[None, :], axis=1)
        if HAS_NORM:
            gate = _load_row(norm_gate, norm_gate_strides, token, head, value)
            o = gated_rms_norm(o, gate, weight, eps, D)
        tl.store(out_rows + token * out_strides[0], round_to_bf16(o))
