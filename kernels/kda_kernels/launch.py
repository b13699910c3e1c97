"""Launch choices of every op, in one place: tiles and warps, and what they were measured against.

A tile is `rows` value rows by all K key columns of one head's state in fp32 registers:
rows * K / (32 * warps) registers a thread. The choices depend on head dims and tokens a request,
never on the number of requests, so that a request's result does not depend on its batch.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

import triton
from triton.backends.compiler import GPUTarget

from kda_kernels.device_math import INTERPRETED


class Tile(NamedTuple):
    """Value rows of the state in one program or step, and the warps of the program."""

    rows: int
    warps: int
    registers: int = 255
    """Most registers a thread; 255 is what the hardware has."""


VERIFY = Tile(rows=64, warps=8, registers=128)
"""Serial verify: one program a head, which walks its state in steps of this many value rows. With
128 registers a thread two programs fit a multiprocessor, and nothing spills."""

IN_INTERPRETER = Tile(rows=64, warps=1)
"""The interpreter's time goes with the number of steps, whatever their size."""


@functools.cache
def _target(device: int) -> GPUTarget | None:
    """What Triton compiles for on `device`, the current one; None in the interpreter.

    Triton is asked and not torch: where nothing but compiles, no GPU is there.
    """
    del device  # the key of the cache
    return None if INTERPRETED else triton.runtime.driver.active.get_current_target()


def _compute_capability(device: int) -> int:
    """Of an NVIDIA GPU times ten, such as 90; 0 elsewhere."""
    target = _target(device)
    return int(target.arch) if target is not None and target.backend == "cuda" else 0


def register_limit(registers: int, device: int) -> dict[str, int]:
    """The launch option for at most this many registers a thread, where it was measured.

    Only NVIDIA's compiler has it. No GPU of compute capability 10.0 or newer was at hand to choose
    limits on, and those chosen on 9.0 make it spill in the streamed verify there.
    """
    return {"maxnreg": registers} if 0 < _compute_capability(device) < 100 else {}


def can_overlap(device: int) -> bool:
    """Whether the GPU can set up a launch while the one before it runs."""
    return OVERLAP_LAUNCHES and _compute_capability(device) >= 90


def verify_tile(*, interpreted: bool) -> Tile:
    """The tile of the serial verify."""
    return IN_INTERPRETER if interpreted else VERIFY


class StreamTile(NamedTuple):
    """How the streamed verify reads the state: key channels a step, steps in flight, warps."""

    keys: int
    stages: int
    warps: int
    registers: int
    """Most registers a thread: 128 let four programs fit a multiprocessor, 168 three."""


STREAM = {
    4: StreamTile(keys=64, stages=2, warps=4, registers=128),
    8: StreamTile(keys=64, stages=2, warps=4, registers=128),
    16: StreamTile(keys=32, stages=3, warps=4, registers=168),
}
"""By padded tokens a request. Steps of 32 keys in three stages take 3 per cent longer at 8 (H200,
N=128, H=12): they read 128-byte pieces of rows. At 16 they are what fits, with 168 registers."""


class Prologue(NamedTuple):
    """The groups of tokens, a warp each, in one program of the streamed verify's first launch."""

    groups: int
    registers: int
    """Most registers a thread."""


PROLOGUE = {
    4: Prologue(groups=1, registers=168),
    8: Prologue(groups=1, registers=168),
    16: Prologue(groups=2, registers=168),
}
"""By padded tokens a request. At T1=8 the call takes 125 us with two groups where it takes 115 with
one (H200, N=256, H=12), at T1=16 one takes 67 where two take 50 and four 55 (N=64). Without a limit
one group got 203 registers, with which 8 programs fit a multiprocessor and not 12."""


def padded_tokens(T1: int) -> int:
    """T1 rounded up to 4, 8 or 16, the tokens that the streamed verify keeps operands of."""
    return max(4, int(triton.next_power_of_2(T1)))


def prologue(tokens: int, device: int) -> Prologue:
    """The first launch for so many padded tokens; AMD's compiler spills one group of eight."""
    target = _target(device)
    return PROLOGUE[16 if target is not None and target.backend == "hip" else tokens]


STREAMED_TOKENS = 16
"""Most tokens a request in the streamed verify."""

STREAMED_DECAY_LIMIT = 80.0
"""Largest T1 * |lower_bound|: the streamed verify divides by a decay of exp(-80) at the least,
and exp(88) is not finite in fp32."""

OVERLAP_LAUNCHES = True
"""Let the second launch of the streamed verify start while the first one ends."""

VECTOR = 4
"""fp32 elements in the widest load or store of a thread, 16 bytes."""


FOLD = {64: Tile(16, 1, 72), 128: Tile(8, 1, 72), 256: Tile(4, 1, 72)}
"""Fold, by K: 32 registers of state a thread, and one warp, in which every sum over the keys stays.
32 rows by four warps take 163 us where this takes 128 (H200, N=256, four accepted tokens, H=12,
K=128); 16 rows by one warp with 128 registers take 126, and 37 where this takes 36 at N=64."""

RECURRENT_V_FIRST = {64: Tile(16, 1, 104), 128: Tile(8, 1, 104), 256: Tile(4, 1, 104)}
"""Recurrence and fallback with K contiguous in the state, by K. 145 us where 16 rows take 147 to
164 and 32 rows by four warps 216 (H200, N=256, T=4, H=12, K=128); limits of 72 to 112 registers lie
within 3 per cent."""

RECURRENT_K_FIRST = {64: Tile(32, 1), 128: Tile(16, 1), 256: Tile(16, 2)}
"""Recurrence and fallback with V contiguous in the state, by K."""

DECODE = Tile(8, 4, 80)
"""One program a head: it owns the convolution window that it shifts, and the output norm needs all
value rows. It walks them in steps of this many, two at least, with the next two in flight. With 80
registers a thread six programs fit a multiprocessor, so that 64 requests of 12 heads run in one
wave."""

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


def fold_tile(K: int, V: int, *, interpreted: bool) -> Tile:
    """The tile of the fold; two tiles a head in the interpreter, whose time they cost."""
    return Tile(V // 2, 1) if interpreted else FOLD[K]


def recurrent_tile(K: int, V: int, *, state_v_first: bool, interpreted: bool) -> Tile:
    """The tile of the recurrence; two tiles a head in the interpreter, as for the fold."""
    if interpreted:
        return Tile(V // 2, 1)
    return (RECURRENT_V_FIRST if state_v_first else RECURRENT_K_FIRST)[K]
