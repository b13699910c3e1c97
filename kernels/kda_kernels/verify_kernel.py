"""The serial kernel of `fused_kda_decode_mtp_dspark`: any number of tokens, any decay.

One program per request and head prepares the tokens once (convolution, gate, norms) and then walks
the head's state in tiles of BV value rows, the tokens of each tile in order. What the tiles need
lies in a scratch of the program that stays in the L2 cache, as do the outputs until the norm, which
needs all value rows of a token. Committed state and windows are read only.

The key's and the query's product are both taken on the decayed state S', so that neither waits for
the other: with e the correction of the delta rule, (S' + e k^T) q = S' q + e (k . q).

A slot, row or token times its pitch passes 2**31 in pools of a few hundred slots, so those are
64-bit. Slots outside the pool count as padding, and scratch rows outside the scratch are not
written: an index that nothing checked must not reach another tensor's memory.
"""

# Triton compiles these functions from their source: their values have no Python types, and a
# device function has one parameter per value. A kernel walks over its tensors in one straight line.
# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators
# ruff: noqa: ANN001, ANN201, ANN202, PLR0915

from __future__ import annotations

import triton
import triton.language as tl

from kda_kernels.delta_rule import live_slot
from kda_kernels.device_math import (
    conv_silu,
    exp,
    inverse_root,
    lanes_if,
    round_to_bf16,
    safe_log_decay,
    sigmoid,
)
from kda_kernels.verify_tokens import (
    load_taps,
    request_span,
    zero_uncomputed_rows,
)


@triton.jit
def _load_tokens(x_row, step, first, length, lane):
    """The vectors of four tokens; zero past the request's end."""
    x0 = tl.load(x_row + first * step, mask=lanes_if(lane, first < length), other=0.0)
    x1 = tl.load(x_row + (first + 1) * step, mask=lanes_if(lane, first + 1 < length), other=0.0)
    x2 = tl.load(x_row + (first + 2) * step, mask=lanes_if(lane, first + 2 < length), other=0.0)
    x3 = tl.load(x_row + (first + 3) * step, mask=lanes_if(lane, first + 3 < length), other=0.0)
    return x0, x1, x2, x3


@triton.jit
def _load_window(window, step):
    """The three committed inputs of each channel, oldest first."""
    return tl.load(window), tl.load(window + step), tl.load(window + step + step)


@triton.jit
def _store_windows(windows, strides, first, length, lane, u1, u2, u3, u4, u5, u6):
    """The windows after four tokens, the newest inputs of which are u3 to u6."""
    inputs = (u1, u2, u3, u4, u5, u6)
    windows += tl.cast(first, tl.int64) * strides[1]
    for i in tl.static_range(4):
        mask = lanes_if(lane, first + i < length)
        at = windows
        for j in tl.static_range(3):
            tl.store(at, inputs[i + j], mask=mask)
            at += strides[3]
        windows += strides[1]


@triton.jit
def _convolve(u0, u1, u2, u3, w0, w1, w2, w3, ROUND_CONV: tl.constexpr):
    """Convolution and SiLU of one token."""
    y = conv_silu(
        u0.to(tl.float32), u1.to(tl.float32), u2.to(tl.float32), u3.to(tl.float32), w0, w1, w2, w3
    )
    if ROUND_CONV:
        y = round_to_bf16(y)
    return y


@triton.jit
def _load_keys(mine, i, rows, lane):
    """Query, key and decay of token i, as they were prepared."""
    here = mine + i * 128 + lane
    return tl.load(here), tl.load(here + rows), tl.load(here + 2 * rows)


@triton.jit(do_not_specialize=["N", "T", "T1", "P", "R"])
def verify_kernel(
    x_q, x_k, x_v, w_q, w_k, w_v, cs_q, cs_k, cs_v, g, beta, A_log, dt_bias,
    state, slots, cu_seqlens, snapshots, scratch_rows, conv_q, conv_k, conv_v,
    rawv, rawk, ring_g, ring_beta, norm_gate, norm_weight, out, prepared,
    x_q_strides, x_k_strides, x_v_strides, cs_q_strides, cs_k_strides, cs_v_strides,
    g_strides, beta_strides, index_strides, conv_q_strides, conv_k_strides, conv_v_strides,
    norm_gate_strides, out_strides, state_quads, snapshot_pitches, ring_pitches,
    lower_bound, scale, eps, N, T, T1, H, P, R, L,
    UNIT: tl.constexpr, HAS_RINGS: tl.constexpr, HAS_NORM: tl.constexpr,
    ROUND_CONV: tl.constexpr, BV: tl.constexpr,
):  # fmt: skip
    """Verify one request and head, with snapshots or with rings. The grid is (N * H,).

    `prepared` is [N * H, 6, T1, 128] fp32: q, k, decay, v, the output before its norm, and two
    scalars of the token, its write strength and its k . q.
    `index_strides` are those of slots, offsets and scratch rows; `snapshot_pitches` of a row and
    a step, in UNIT elements; `ring_pitches` of a slot.
    """
    D: tl.constexpr = 128
    program = tl.program_id(0)
    n = program // H
    head = (program % H).to(tl.int64)
    slot = live_slot(slots, n, index_strides[0], P)
    begin, end, length = request_span(cu_seqlens, index_strides[1], n, T, T1)
    length = tl.where(slot < 0, 0, length)
    lane = tl.arange(0, D)
    out_row = out + head * out_strides[1] + lane
    zero_uncomputed_rows(out_row, out_strides[0], n, N, begin, length, end, T, D)
    if length == 0:
        return

    value = tl.arange(0, BV)
    at = head * (D * D) + value[:, None] * D + lane[None, :]
    # In units of 16 bytes the compiler knows that rows are aligned, and loads them 16 bytes wide.
    tiles = state + slot * state_quads * 4 + at

    token = begin.to(tl.int64)
    row = tl.load(scratch_rows + n * index_strides[2]).to(tl.int64)
    has_row = (row >= 0) & (row < R)
    rate = tl.exp(tl.load(A_log + head))
    rows = T1 * D
    mine = prepared + program.to(tl.int64) * (6 * rows)
    channel = head * D + lane
    bias = tl.load(dt_bias + channel)
    x_q += token * x_q_strides[0] + head * x_q_strides[1] + lane
    x_k += token * x_k_strides[0] + head * x_k_strides[1] + lane
    x_v += token * x_v_strides[0] + head * x_v_strides[1] + lane
    g += token * g_strides[0] + head * g_strides[1] + lane
    beta += token * beta_strides[0] + head * beta_strides[1]
    cs_q += slot * cs_q_strides[0] + channel * cs_q_strides[1]
    cs_k += slot * cs_k_strides[0] + channel * cs_k_strides[1]
    cs_v += slot * cs_v_strides[0] + channel * cs_v_strides[1]
    conv_q += row * conv_q_strides[0] + channel * conv_q_strides[2]
    conv_k += row * conv_k_strides[0] + channel * conv_k_strides[2]
    conv_v += row * conv_v_strides[0] + channel * conv_v_strides[2]
    q0, q1, q2 = _load_window(cs_q, cs_q_strides[2])
    k0, k1, k2 = _load_window(cs_k, cs_k_strides[2])
    v0, v1, v2 = _load_window(cs_v, cs_v_strides[2])
    wq0, wq1, wq2, wq3 = load_taps(w_q, channel)
    wk0, wk1, wk2, wk3 = load_taps(w_k, channel)
    wv0, wv1, wv2, wv3 = load_taps(w_v, channel)
    # Four tokens at a time, so that the loads of four are in flight.
    for first in range(0, length, 4):
        q3, q4, q5, q6 = _load_tokens(x_q, x_q_strides[0], first, length, lane)
        k3, k4, k5, k6 = _load_tokens(x_k, x_k_strides[0], first, length, lane)
        v3, v4, v5, v6 = _load_tokens(x_v, x_v_strides[0], first, length, lane)
        g0, g1, g2, g3 = _load_tokens(g, g_strides[0], first, length, lane)
        if has_row:
            _store_windows(conv_q, conv_q_strides, first, length, lane, q1, q2, q3, q4, q5, q6)
            _store_windows(conv_k, conv_k_strides, first, length, lane, k1, k2, k3, k4, k5, k6)
            _store_windows(conv_v, conv_v_strides, first, length, lane, v1, v2, v3, v4, v5, v6)
        qs = (q0, q1, q2, q3, q4, q5, q6)
        ks = (k0, k1, k2, k3, k4, k5, k6)
        vs = (v0, v1, v2, v3, v4, v5, v6)
        logits = (g0, g1, g2, g3)
        for j in tl.static_range(4):
            i = first + j
            here = mine + i * D + lane
            mask = lanes_if(lane, i < length)
            q = _convolve(qs[j], qs[j + 1], qs[j + 2], qs[j + 3], wq0, wq1, wq2, wq3, ROUND_CONV)
            k = _convolve(ks[j], ks[j + 1], ks[j + 2], ks[j + 3], wk0, wk1, wk2, wk3, ROUND_CONV)
            v = _convolve(vs[j], vs[j + 1], vs[j + 2], vs[j + 3], wv0, wv1, wv2, wv3, ROUND_CONV)
            gamma = safe_log_decay(logits[j].to(tl.float32), bias, rate, lower_bound)
            strength = tl.load(beta + i * beta_strides[0], mask=i < length, other=0.0)
            strength = sigmoid(strength.to(tl.float32))
            if HAS_RINGS:
                entry = head * L + i
                ring = entry * D + lane
                tl.store(rawv + slot * ring_pitches[0] + ring, round_to_bf16(v), mask=mask)
                tl.store(rawk + slot * ring_pitches[1] + ring, round_to_bf16(k), mask=mask)
                tl.store(ring_g + slot * ring_pitches[2] + ring, gamma, mask=mask)
                tl.store(ring_beta + slot * ring_pitches[3] + entry, strength, mask=i < length)
            q = q * (inverse_root(tl.sum(q * q, axis=0) + 1e-6) * scale)
            k = k * inverse_root(tl.sum(k * k, axis=0) + 1e-6)
            tl.store(here, q, mask=mask)
            tl.store(here + rows, k, mask=mask)
            tl.store(here + 2 * rows, exp(gamma), mask=mask)
            tl.store(here + 3 * rows, v, mask=mask)
            scalars = mine + 5 * rows + i * D
            tl.store(scalars, strength, mask=i < length)
            tl.store(scalars + 1, tl.sum(k * q, axis=0), mask=i < length)
        q0, q1, q2 = q4, q5, q6
        k0, k1, k2 = k4, k5, k6
        v0, v1, v2 = v4, v5, v6
    # Other threads of this program read what these wrote.
    tl.debug_barrier()

    if not HAS_RINGS:
        kept = snapshots + row * snapshot_pitches[0] * UNIT + at
    for first in range(0, D, BV):
        S = tl.load(tiles + first * D)
        # The next token is on its way before this one's state is stored: the queue of the stores
        # would keep it waiting.
        q_next, k_next, decay_next = _load_keys(mine, 0, rows, lane)
        for i in range(length):
            qt, kt, decay = q_next, k_next, decay_next
            q_next, k_next, decay_next = _load_keys(mine, tl.minimum(i + 1, length - 1), rows, lane)
            vt = tl.load(mine + 3 * rows + i * D + first + value)
            strength = tl.load(mine + 5 * rows + i * D)
            S = S * decay[None, :]
            predicted = tl.sum(S * kt[None, :], axis=1)
            queried = tl.sum(S * qt[None, :], axis=1)
            error = (vt - predicted) * strength
            S = S + error[:, None] * kt[None, :]
            product = tl.load(mine + 5 * rows + i * D + 1)
            tl.store(mine + 4 * rows + i * D + first + value, queried + error * product)
            if not HAS_RINGS:  # noqa: SIM102, decided by the compiler, the inner one is not
                if has_row:
                    step = tl.cast(i, tl.int64) * snapshot_pitches[1] * UNIT
                    # Nothing reads a snapshot before the commit: what lies in L2 may stay there.
                    tl.store(kept + step + first * D, S, cache_modifier=".cs")

    tl.debug_barrier()
    for chunk in range(0, length, 4):
        t = chunk + tl.arange(0, 4)
        has_token = (t < length)[:, None]
        o = tl.load(mine + 4 * rows + t[:, None] * D + lane[None, :], mask=has_token, other=0.0)
        if HAS_NORM:
            gate = tl.load(
                norm_gate
                + (token + t)[:, None] * norm_gate_strides[0]
                + head * norm_gate_strides[1]
                + lane[None, :],
                mask=has_token,
                other=0.0,
            ).to(tl.float32)
            o = o * inverse_root(tl.sum(o * o, axis=1) / D + eps)[:, None]
            o = o * tl.load(norm_weight + lane)[None, :] * sigmoid(gate)
        tl.store(
            out_row[None, :] + (token + t)[:, None] * out_strides[0],
            round_to_bf16(o),
            mask=has_token,
        )
