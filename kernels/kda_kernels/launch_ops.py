"""Launch choices of every op but verify: tile and warps, in one table an op.

A tile is `rows` value rows by all K key columns of one head's state, in fp32 registers:
rows * K / (32 * warps) registers a thread. The choice depends on head dims alone, never on the
number of requests, so that a request's result does not depend on its batch.
"""

from __future__ import annotations

from typing import NamedTuple

VECTOR = 4
"""fp32 elements in the widest load or store of a thread, 16 bytes."""


class Tile(NamedTuple):
    """Value rows of the state in one program, and its warps."""

    rows: int
    warps: int


FOLD = {64: Tile(64, 4), 128: Tile(32, 4), 256: Tile(16, 4)}
"""Fold, by K: 32 registers of state a thread."""

RECURRENT_V_FIRST = {64: Tile(32, 2), 128: Tile(16, 1), 256: Tile(16, 2)}
"""Recurrence and fallback with K contiguous in the state, by K."""

RECURRENT_K_FIRST = {64: Tile(32, 1), 128: Tile(16, 1), 256: Tile(16, 2)}
"""Recurrence and fallback with V contiguous in the state, by K."""

DECODE = Tile(32, 4)
"""One program a head: it owns the convolution window that it shifts, and the output norm needs all
value rows. It walks them in steps of this many, with the next one in flight."""

COPY_BLOCK = 4096
"""Elements of a state that one program of the snapshot commit copies (4 warps)."""

CONV_BLOCK = 256
"""Channels of the convolution in one program (4 warps)."""

NORM_WARPS = 1
"""One program per token and head."""


def pitch_unit(*pitches: int) -> int:
    """The unit to hand state pitches to a kernel in: a multiplication that the compiler sees.

    A pitch that 4 divides keeps 16-byte vectors aligned in every slot, but as a plain integer it
    says so only where 16 divides it.
    """
    return VECTOR if all(pitch % VECTOR == 0 for pitch in pitches) else 1


def recurrent_tile(K: int, V: int, *, state_v_first: bool, interpreted: bool) -> Tile:
    """The tile of the recurrence; two tiles a head in the interpreter, whose time they cost."""
    if interpreted:
        return Tile(V // 2, 1)
    return (RECURRENT_V_FIRST if state_v_first else RECURRENT_K_FIRST)[K]
