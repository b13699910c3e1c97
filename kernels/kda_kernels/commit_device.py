"""The kernels of the commit: fold of the rings, copy of a snapshot, rollback of the windows.

Slots, rows and layers are 64 bits wide before they meet a pitch. Index tensors come with their
stride. A request is skipped unless its slot is in the pool and at least one token is accepted.
"""

# Triton compiles these functions from their source and gives their values no Python types.
# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators
# ruff: noqa: ANN001, ANN201, ANN202

from __future__ import annotations

import triton
import triton.language as tl

from kda_kernels.delta_rule import delta_step, l2_normalise, live_slot, tile_offsets
from kda_kernels.device_math import exp, lanes_if


@triton.jit
def accepted_tokens(accept_lens, n, stride, cu_seqlens, cu_stride, limit):
    """Request n's accepted tokens: at most what the buffers and, if given, its segment hold."""
    accepted = tl.minimum(tl.load(accept_lens + n * stride).to(tl.int64), limit)
    if cu_seqlens is not None:
        begin = tl.load(cu_seqlens + n * cu_stride).to(tl.int64)
        end = tl.load(cu_seqlens + (n + 1) * cu_stride).to(tl.int64)
        accepted = tl.minimum(accepted, end - begin)
    return accepted.to(tl.int32)


@triton.jit
def _load_entry(
    rawk, rawv, log_decay, strength, t, accepted, columns, rows, K: tl.constexpr, V: tl.constexpr
):  # fmt: skip
    """Key, value, log decay and strength at ring position t; zero if t is not accepted."""
    key_mask = lanes_if(columns, t < accepted)
    k = tl.load(rawk + t * K + columns, mask=key_mask, other=0.0)
    v = tl.load(rawv + t * V + rows, mask=lanes_if(rows, t < accepted), other=0.0)
    decay = tl.load(log_decay + t * K + columns, mask=key_mask, other=0.0)
    return k, v, decay, tl.load(strength + t, mask=t < accepted, other=0.0)


@triton.jit
def fold_kernel(
    state,
    rawv,
    rawk,
    log_decay,
    strength,
    slots,
    accept_lens,
    cu_seqlens,
    track_slots,
    track_steps,
    P,
    limit,
    layer_pitches,
    slot_pitches,
    index_strides,
    HV,
    GROUPS: tl.constexpr,
    L: tl.constexpr,
    V: tl.constexpr,
    K: tl.constexpr,
    BV: tl.constexpr,
    UNIT: tl.constexpr,
    NORMALISE: tl.constexpr,
):
    """Fold one tile of value rows; the grid is (N * HV * V / BV, layers).

    Tiles of one head are neighbours, so that its 64 KB are read and written close in time. The
    pitches of the state are in UNIT elements, those of the rings in elements.
    """
    TILES: tl.constexpr = V // BV
    tile = tl.program_id(0) % TILES
    n = tl.program_id(0) // TILES // HV
    head = tl.program_id(0) // TILES % HV
    layer = tl.program_id(1).to(tl.int64)
    slot = live_slot(slots, n, index_strides[0], P)
    accepted = accepted_tokens(
        accept_lens, n, index_strides[1], cu_seqlens, index_strides[2], limit
    )
    if (slot < 0) | (accepted <= 0):
        return
    track_slot = tl.full((), -1, tl.int64)
    track_step = -1
    if track_slots is not None:
        track_slot = live_slot(track_slots, n, index_strides[3], P)
        track_step = tl.load(track_steps + n * index_strides[4]).to(tl.int32)

    columns = tl.arange(0, K)
    rows = tile * BV + tl.arange(0, BV)
    tile_at = tile_offsets(tile, BV, K, K, 1)
    state += layer * layer_pitches[0] * UNIT + head * (V * K)
    rawv += layer * layer_pitches[1] + slot * slot_pitches[1] + head * (L * V)
    rawk += layer * layer_pitches[2] + slot * slot_pitches[2] + head // GROUPS * (L * K)
    log_decay += layer * layer_pitches[3] + slot * slot_pitches[3] + head * (L * K)
    strength += layer * layer_pitches[4] + slot * slot_pitches[4] + head * L

    S = tl.load(state + slot * slot_pitches[0] * UNIT + tile_at)
    # The next entry is on its way while one is folded.
    kn, vn, gn, bn = _load_entry(rawk, rawv, log_decay, strength, 0, accepted, columns, rows, K, V)
    for t in range(accepted):
        k, v = kn.to(tl.float32), vn.to(tl.float32)
        gamma, beta = gn, bn
        kn, vn, gn, bn = _load_entry(
            rawk, rawv, log_decay, strength, t + 1, accepted, columns, rows, K, V
        )
        if NORMALISE:
            k = l2_normalise(k)
        S = delta_step(S, k, v, exp(gamma), beta)
        if track_slots is not None:
            tracked = (t == track_step) & (track_slot >= 0)
            if tracked:
                tl.store(state + track_slot * slot_pitches[0] * UNIT + tile_at, S)
    tl.store(state + slot * slot_pitches[0] * UNIT + tile_at, S)


@triton.jit
def snapshot_kernel(
    state,
    snapshots,
    rows,
    slots,
    accept_lens,
    cu_seqlens,
    track_slots,
    track_steps,
    P,
    R,
    limit,
    slot_pitch,
    source_pitches,
    index_strides,
    BLOCK: tl.constexpr,
    UNIT: tl.constexpr,
):
    """Copy one block of the accepted snapshot; the grid is (N, HV * V * K / BLOCK).

    Pitches are in UNIT elements.
    """
    n = tl.program_id(0)
    slot = live_slot(slots, n, index_strides[0], P)
    row = live_slot(rows, n, index_strides[5], R)
    accepted = accepted_tokens(
        accept_lens, n, index_strides[1], cu_seqlens, index_strides[2], limit
    )
    if (slot < 0) | (row < 0) | (accepted <= 0):
        return
    at = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    source = snapshots + row * source_pitches[0] * UNIT + at
    last = (accepted - 1).to(tl.int64)
    tl.store(
        state + slot * slot_pitch * UNIT + at, tl.load(source + last * source_pitches[1] * UNIT)
    )
    if track_slots is not None:
        track_slot = live_slot(track_slots, n, index_strides[3], P)
        track_step = tl.load(track_steps + n * index_strides[4]).to(tl.int64)
        if (track_slot >= 0) & (track_step >= 0) & (track_step < accepted):
            tl.store(
                state + track_slot * slot_pitch * UNIT + at,
                tl.load(source + track_step * source_pitches[1] * UNIT),
            )


@triton.jit
def _roll_back(
    window, scratch, slot, row, step, C, window_strides, scratch_strides, BLOCK: tl.constexpr
):
    channels = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = channels < C
    wide = channels.to(tl.int64)
    source = scratch + row * scratch_strides[0] + step * scratch_strides[1]
    target = window + slot * window_strides[0]
    for column in tl.static_range(3):
        x = tl.load(source + wide * scratch_strides[2] + column * scratch_strides[3], mask=inside)
        tl.store(target + wide * window_strides[1] + column * window_strides[2], x, mask=inside)


@triton.jit
def rollback_kernel(
    windows,
    scratches,
    rows,
    slots,
    accept_lens,
    cu_seqlens,
    P,
    R,
    limit,
    channels,
    window_strides,
    scratch_strides,
    index_strides,
    BLOCK: tl.constexpr,
):
    """Set the windows of q, k and v to those after the last accepted token.

    The grid is (N, channels / BLOCK).
    """
    n = tl.program_id(0)
    slot = live_slot(slots, n, index_strides[0], P)
    row = live_slot(rows, n, index_strides[5], R)
    accepted = accepted_tokens(
        accept_lens, n, index_strides[1], cu_seqlens, index_strides[2], limit
    )
    if (slot < 0) | (row < 0) | (accepted <= 0):
        return
    step = (accepted - 1).to(tl.int64)
    for stream in tl.static_range(3):
        _roll_back(
            windows[stream],
            scratches[stream],
            slot,
            row,
            step,
            channels[stream],
            window_strides[stream],
            scratch_strides[stream],
            BLOCK,
        )
