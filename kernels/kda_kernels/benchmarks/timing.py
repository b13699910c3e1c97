"""Device time of a call: CUDA-graph replays over inputs that do not fit in the L2 cache."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence

import torch

REPLAYS = 15
ROTATED_BYTES = 400_000_000
"""Inputs of one replay together: several times the 60 MB of an H200's L2."""
MOST_SETS = 24


def copy_bandwidth() -> float:
    """Bytes per second, read and written, of a 4 GiB device-to-device copy."""
    source = torch.empty(2**30, device="cuda", dtype=torch.float32).normal_()
    target = torch.empty_like(source)
    seconds = _event_seconds(lambda: [target.copy_(source) for _ in range(10)])
    return 10 * 2 * source.numel() * 4 / seconds


def sets_for(bytes_of_one: int) -> int:
    """How many input sets to rotate through."""
    return max(2, min(MOST_SETS, ROTATED_BYTES // bytes_of_one + 1))


def device_microseconds(calls: Sequence[Callable[[], object]]) -> float:
    """Median over replays of one graph with all calls, per call."""
    for call in calls:
        call()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for call in calls:
            call()
    graph.replay()
    torch.cuda.synchronize()
    seconds = [_event_seconds(graph.replay, warm=False) for _ in range(REPLAYS)]
    return statistics.median(seconds) * 1e6 / len(calls)


def host_microseconds(call: Callable[[], object], repeats: int = 200) -> float:
    """Median host time of a call that returns before its work is done."""
    for _ in range(20):
        call()
    torch.cuda.synchronize()
    times = []
    for _ in range(repeats):
        start = time.perf_counter_ns()
        call()
        times.append(time.perf_counter_ns() - start)
    torch.cuda.synchronize()
    return statistics.median(times) / 1e3


def _event_seconds(work: Callable[[], object], *, warm: bool = True) -> float:
    if warm:
        work()
        torch.cuda.synchronize()
    # torch leaves this constructor untyped.
    start = torch.cuda.Event(enable_timing=True)  # type: ignore[no-untyped-call]
    end = torch.cuda.Event(enable_timing=True)  # type: ignore[no-untyped-call]
    start.record()
    work()
    end.record()
    torch.cuda.synchronize()
    return float(start.elapsed_time(end)) * 1e-3
