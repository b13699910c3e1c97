"""Launch choices of the verify kernel: value rows of the state in one program, and its warps.

A program keeps its tile [rows, 128] in fp32 registers over all tokens: rows * 4 / warps registers
a thread. The choice never depends on the number of requests, so that a request's result does not
depend on its batch.
"""

from __future__ import annotations

from typing import NamedTuple


class VerifyTile(NamedTuple):
    """Value rows in one program, and its warps."""

    rows: int
    warps: int


WITH_OUTPUT_NORM = VerifyTile(rows=128, warps=8)
"""The norm needs the mean over all value rows of a head, so one program has them all."""

WITHOUT_OUTPUT_NORM = VerifyTile(rows=32, warps=4)

INTERPRETED = VerifyTile(rows=128, warps=1)
"""The interpreter's time goes with the number of programs, whatever their size."""


def verify_tile(*, output_norm: bool, interpreted: bool) -> VerifyTile:
    """The tile for a call with or without the fused output norm."""
    if interpreted:
        return INTERPRETED
    return WITH_OUTPUT_NORM if output_norm else WITHOUT_OUTPUT_NORM


class StreamTile(NamedTuple):
    """How the streamed verify reads the state: key channels a step, steps in flight, warps."""

    keys: int
    stages: int
    warps: int
    registers: int
    """Most registers a thread: 128 let four programs fit a multiprocessor, 168 three."""


STREAM = {
    8: StreamTile(keys=32, stages=3, warps=4, registers=128),
    16: StreamTile(keys=32, stages=3, warps=4, registers=168),
}
"""By padded tokens a request. Steps of 16 keys read 64-byte pieces of rows and take 95 to 104 us
where 32 take 80 (H200, N=256, T1=8, H=12); steps of 64 need 255 registers."""

PROLOGUE_WARPS = {8: 1, 16: 4}
"""By padded tokens a request. At 8, two warps take 59 us where one takes 46 (same case), as sums
over a head stay inside a warp; at 16, one and two warps spill."""

STREAMED_TOKENS = 16
"""Most tokens a request in the streamed verify."""

STREAMED_DECAY_LIMIT = 80.0
"""Largest T1 * |lower_bound|: the streamed verify divides by a decay of exp(-80) at the least,
and exp(88) is not finite in fp32."""

OVERLAP_LAUNCHES = True
"""Let the second launch start while the first one ends, where the GPU can."""
