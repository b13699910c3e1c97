"""What is measured: each case builds its inputs, checks one call, and times rotated calls."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import torch
from torch import Tensor

from kda_kernels import reference
from kda_kernels.benchmarks import floor, inputs
from kda_kernels.benchmarks.timing import device_microseconds, sets_for
from kda_kernels.commit import commit_kda_replayssm_spec
from kda_kernels.decode import kda_decode
from kda_kernels.recurrent import fused_recurrent_kda
from kda_kernels.verify import fused_kda_decode_mtp_dspark

CHECKED_REQUESTS = 2


class Case(NamedTuple):
    """One row of the table. `tokens` is T1, the accepted tokens of a fold, or T."""

    op: str
    N: int
    tokens: int
    H: int = 12


class Measurement(NamedTuple):
    """Time of one case in microseconds, its byte floor, and what a peer took in the same run."""

    case: Case
    microseconds: float
    floor_microseconds: float
    error: float | None
    """Relative norm of the output's error against float64, over the first requests."""
    peer: str | None = None
    peer_microseconds: float | None = None


TARGETS = [
    *(Case("verify-rings", N, 8) for N in (64, 128, 256)),
    *(Case("verify-rings", N, 4) for N in (1, 128, 256)),
    *(Case("verify-snapshots", N, T1) for N in (64, 128) for T1 in (4, 8)),
    *(Case("decode", N, 1) for N in (64, 128, 256)),
    *(Case("fold", N, 4) for N in (64, 128, 256)),
    Case("recurrent", 256, 4),
]
"""The cases whose times over their floor are stated."""

GROWTH = [
    *(Case("verify-rings", N, 8) for N in (1, 2, 4, 8, 16, 32, 512)),
    *(Case("verify-rings", 64, T1) for T1 in (1, 2, 3, 4, 6, 12, 16)),
    *(Case("verify-rings", 64, 8, H) for H in (3, 6, 24, 48, 96)),
    *(Case("decode", N, 1) for N in (1, 4, 16, 512)),
]
"""How time grows with requests, tokens and heads."""


def _built(make: Callable[[], dict[str, Any]], bytes_of_one: int) -> list[dict[str, Any]]:
    return [make() for _ in range(sets_for(bytes_of_one))]


def _relative(actual: Tensor, expected: Tensor) -> float:
    return float((actual.double() - expected).norm() / expected.norm())


def _verify(case: Case, bandwidth: float, *, rings: bool) -> Measurement:
    N, T1, H = case.N, case.tokens, case.H
    moved = floor.verify_bytes(N, T1, H, rings=rings)
    sets = _built(lambda: inputs.verify_inputs(N, T1, H, rings=rings), moved)
    checked = min(CHECKED_REQUESTS, N)
    out = fused_kda_decode_mtp_dspark(**sets[0])
    part = inputs.first_requests(sets[0], checked, T1)
    expected = reference.fused_kda_decode_mtp_dspark(**part).out
    error = _relative(out[:, : checked * T1], expected)
    calls = [partial(fused_kda_decode_mtp_dspark, **s) for s in sets]
    return Measurement(case, device_microseconds(calls), moved / bandwidth * 1e6, error)


def _decode(case: Case, bandwidth: float) -> Measurement:
    moved = floor.decode_bytes(case.N, case.H)
    sets = _built(lambda: inputs.decode_inputs(case.N, case.H), moved)
    calls = [partial(kda_decode, **s) for s in sets]
    return Measurement(case, device_microseconds(calls), moved / bandwidth * 1e6, None)


def _fold(case: Case, bandwidth: float) -> Measurement:
    moved = floor.fold_bytes(case.N, case.tokens, case.H)
    sets = _built(lambda: inputs.fold_inputs(case.N, case.tokens, case.H), moved)
    calls = [partial(commit_kda_replayssm_spec, **s) for s in sets]
    return Measurement(case, device_microseconds(calls), moved / bandwidth * 1e6, None)


def _recurrent(case: Case, bandwidth: float) -> Measurement:
    moved = floor.recurrent_bytes(case.N, case.tokens, case.H)
    sets = _built(lambda: inputs.recurrent_inputs(case.N, case.tokens, case.H), moved)
    out, _ = fused_recurrent_kda(**sets[0])
    ours = device_microseconds([partial(fused_recurrent_kda, **s) for s in sets])
    fla = _fla_recurrent()
    if fla is None:
        return Measurement(case, ours, moved / bandwidth * 1e6, None)
    error = _relative(out, fla(**sets[0])[0].double())
    theirs = device_microseconds([partial(fla, **s) for s in sets])
    return Measurement(case, ours, moved / bandwidth * 1e6, error, "fla-core", theirs)


def _fla_recurrent() -> Callable[..., tuple[Tensor, Tensor]] | None:
    """fla's function of the same name, where fla-core is installed."""
    try:
        from fla.ops.kda import fused_recurrent_kda as fla_recurrent  # noqa: PLC0415, optional
    except ImportError:
        return None
    function: Callable[..., tuple[Tensor, Tensor]] = fla_recurrent
    return function


def measure(cases: list[Case], bandwidth: float) -> Iterator[Measurement]:
    """Measure the cases one after another.

    Args:
        bandwidth: bytes per second of a copy, from the same run.
    """
    for case in cases:
        match case.op:
            case "verify-rings":
                yield _verify(case, bandwidth, rings=True)
            case "verify-snapshots":
                yield _verify(case, bandwidth, rings=False)
            case "decode":
                yield _decode(case, bandwidth)
            case "fold":
                yield _fold(case, bandwidth)
            case _:
                yield _recurrent(case, bandwidth)
        gc.collect()
        torch.cuda.empty_cache()
