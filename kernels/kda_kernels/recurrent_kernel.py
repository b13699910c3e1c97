"""The Triton kernel of the recurrence, for `fused_recurrent_kda` and `kda_decode_fallback`.

One program per request, value head and tile of value rows walks the request's tokens with its part
of the state in registers. Requests may have any length, 0 included.
"""

# Triton compiles these functions from their source and gives their values no Python types.
# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators
# ruff: noqa: ANN001, ANN201, ANN202

from __future__ import annotations

import triton
import triton.language as tl

from kda_kernels.conv_kernel import segment
from kda_kernels.delta_rule import delta_step, l2_normalise, live_slot, tile_offsets
from kda_kernels.device_math import exp, lanes_if, round_to_bf16, sigmoid
from kda_kernels.gate_device import cast, log_decay


@triton.jit
def _zero_rows(out, first, last, stride, BV: tl.constexpr, OUT: tl.constexpr):
    for t in range(first.to(tl.int32), last.to(tl.int32)):
        tl.store(out + (first * 0 + t) * stride, tl.zeros((BV,), OUT))


@triton.jit
def _store_ring_values(
    rawv,
    ring_g,
    ring_beta,
    at,
    pitches,
    v,
    gamma,
    strength,
    value,
    key,
    first_tile,
    V: tl.constexpr,
    K: tl.constexpr,
):
    """What a value head keeps of one token; `at` is (slot, entry of its ring). One tile has K."""
    tl.store(rawv + at[0] * pitches[0] + at[1] * V + value, round_to_bf16(v))
    if first_tile:
        tl.store(ring_g + at[0] * pitches[2] + at[1] * K + key, gamma)
        tl.store(ring_beta + at[0] * pitches[3] + at[1], strength)


@triton.jit
def _load_token(q, k, v, g, beta, strides, token, present, key, value):
    """What a token brings, as stored; zero if the request does not have it."""
    key_mask = lanes_if(key, present)
    return (
        tl.load(q + token * strides[0][1], mask=key_mask, other=0.0),
        tl.load(k + token * strides[1][1], mask=key_mask, other=0.0),
        tl.load(v + token * strides[2][1], mask=lanes_if(value, present), other=0.0),
        tl.load(g + token * strides[3][1], mask=key_mask, other=0.0),
        tl.load(beta + token * strides[4][1], mask=present, other=0.0),
    )


@triton.jit
def recurrent_kernel(  # noqa: PLR0912, PLR0915 - one walk over the tokens, one branch a feature
    q,
    k,
    v,
    g,
    beta,
    A_log,
    dt_bias,
    out,
    state_in,
    state_out,
    slots,
    cu_seqlens,
    rows,
    snapshots,
    rawv,
    rawk,
    ring_g,
    ring_beta,
    N,
    T,
    P,
    R,
    STEPS,
    scale,
    lower_bound,
    HV,
    strides,
    state_pitches,
    snapshot_pitches,
    ring_pitches,
    index_strides,
    GROUPS: tl.constexpr,
    V: tl.constexpr,
    K: tl.constexpr,
    BV: tl.constexpr,
    STRIDE_V: tl.constexpr,
    STRIDE_K: tl.constexpr,
    UNIT: tl.constexpr,
    GATE: tl.constexpr,
    NORMALISE: tl.constexpr,
    STRENGTH: tl.constexpr,
):
    """Recur over one request's tokens for BV value rows; the grid is (N * HV * V / BV),
    with the tiles of a head side by side.

    `strides` holds (request, token, head) of q, k, v, g, beta and out; with offsets the request
    stride is unused. Pitches: of the initial and the final state and of a snapshot's row and
    step, all in UNIT elements; of the slots of the four rings. GATE: "none" (g is log decay),
    "safe" or "softplus". STRENGTH: 0 if beta is the write strength, else the factor of its sigmoid.
    """
    TILES: tl.constexpr = V // BV
    tile = tl.program_id(0) % TILES
    n = (tl.program_id(0) // TILES // HV).to(tl.int64)
    head = tl.program_id(0) // TILES % HV
    value = tile * BV + tl.arange(0, BV)
    key = tl.arange(0, K)
    begin, length = segment(cu_seqlens, n, index_strides[1], T)
    if cu_seqlens is None:
        q += n * strides[0][0]
        k += n * strides[1][0]
        v += n * strides[2][0]
        g += n * strides[3][0]
        beta += n * strides[4][0]
        out += n * strides[5][0]
    q += head // GROUPS * strides[0][2] + key
    k += head // GROUPS * strides[1][2] + key
    v += head * strides[2][2] + value
    g += head * strides[3][2] + key
    beta += head * strides[4][2]
    OUT: tl.constexpr = out.dtype.element_ty
    out += head * strides[5][2] + value

    slot = n
    if slots is not None:
        slot = live_slot(slots, n, index_strides[0], P)
    # Rows of `out` that belong to no live request are zero, also before the first and after the
    # last offset.
    end = begin + length
    zero_from = tl.where(slot >= 0, end, begin)
    zero_to = end
    if cu_seqlens is not None:
        zero_to = tl.where(n == N - 1, T, end)
        _zero_rows(out, begin * 0, tl.where(n == 0, begin, 0), strides[5][1], BV, OUT)
    _zero_rows(out, zero_from, zero_to, strides[5][1], BV, OUT)
    if slot < 0:
        return

    at = head * (V * K) + tile_offsets(tile, BV, K, STRIDE_V, STRIDE_K)
    if state_in is None:
        S = tl.zeros((BV, K), tl.float32)
    else:
        S = tl.load(state_in + slot * state_pitches[0] * UNIT + at)
    rate = 1.0
    bias = 0.0
    if A_log is not None:
        rate = tl.exp(tl.load(A_log + head))
    if dt_bias is not None:
        bias = tl.load(dt_bias + head * K + key)
    row = tl.full((), -1, tl.int64)
    if snapshots is not None:
        row = live_slot(rows, n, index_strides[2], R)
        snapshots += row * snapshot_pitches[0] * UNIT + at

    # The next token is on its way while one is computed.
    qn, kn, vn, gn, bn = _load_token(q, k, v, g, beta, strides, begin, length > 0, key, value)
    for t in range(length):
        step = begin * 0 + t  # 64 bits wide
        token = begin + t
        qt, kt, vt = qn.to(tl.float32), kn.to(tl.float32), vn.to(tl.float32)
        gamma, strength = gn.to(tl.float32), bn.to(tl.float32)
        qn, kn, vn, gn, bn = _load_token(
            q, k, v, g, beta, strides, token + 1, t + 1 < length, key, value
        )
        if GATE != "none":
            gamma = log_decay(gamma, bias, rate, lower_bound, GATE == "safe")
        if STRENGTH > 0:
            strength = sigmoid(strength) * STRENGTH
        if rawv is not None:
            kept = t < STEPS
            if kept:
                at_ring = (slot, head * STEPS + step)
                first_tile = tile == 0
                _store_ring_values(
                    rawv,
                    ring_g,
                    ring_beta,
                    at_ring,
                    ring_pitches,
                    vt,
                    gamma,
                    strength,
                    value,
                    key,
                    first_tile,
                    V,
                    K,
                )
                if first_tile & (head % GROUPS == 0):
                    entry = (head // GROUPS) * STEPS + step
                    tl.store(rawk + slot * ring_pitches[1] + entry * K + key, round_to_bf16(kt))
        if NORMALISE:
            kt = l2_normalise(kt)
            qt = l2_normalise(qt)
        S = delta_step(S, kt, vt, exp(gamma), strength)
        tl.store(out + token * strides[5][1], cast(tl.sum(S * (qt * scale)[None, :], axis=1), OUT))
        if snapshots is not None:
            kept = (row >= 0) & (t < STEPS)
            if kept:
                tl.store(snapshots + step * snapshot_pitches[1] * UNIT, S)
    if state_out is not None:
        tl.store(state_out + slot * state_pitches[1] * UNIT + at, S)
