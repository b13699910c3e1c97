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
