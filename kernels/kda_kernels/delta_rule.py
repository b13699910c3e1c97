"""The state update that fold, recurrence and decode share, so that they round alike.

A tile of the state holds BV value rows and all K key columns in fp32: `[BV, K]`. Sums over the
keys run inside one program, in one order, whatever the batch.
"""

# Triton compiles these functions from their source and gives their values no Python types.
# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators
# ruff: noqa: ANN001, ANN201

from __future__ import annotations

import triton
import triton.language as tl

from kda_kernels.device_math import inverse_root


@triton.jit
def l2_normalise(x):
    """x / sqrt(sum(x^2) + 1e-6) of one vector in fp32; a zero vector stays zero."""
    return x * inverse_root(tl.sum(x * x, axis=0) + 1e-6)


@triton.jit
def delta_step(state, k, v, decay, strength):
    """One token: decay the tile [BV, K], then move its prediction for k [K] towards v [BV]."""
    state = state * decay[None, :]
    error = (v - tl.sum(state * k[None, :], axis=1)) * strength
    return state + error[:, None] * k[None, :]


@triton.jit
def tile_offsets(
    tile, BV: tl.constexpr, K: tl.constexpr, STRIDE_V: tl.constexpr, STRIDE_K: tl.constexpr
):
    """Element offsets [BV, K] of the tile's value rows inside one head's state."""
    rows = tile * BV + tl.arange(0, BV)
    columns = tl.arange(0, K)
    return rows[:, None] * STRIDE_V + columns[None, :] * STRIDE_K


@triton.jit
def live_slot(slots, n, stride, P):
    """Request n's pool slot in 64 bits, or -1 where no slot of the pool is named.

    A slot times its pitch passes 2**31 in pools of a few hundred slots; an index past the pool
    must not be followed, as nothing else bounds it.
    """
    slot = tl.load(slots + n * stride).to(tl.int64)
    return tl.where((slot >= 0) & (slot < P), slot, -1)
