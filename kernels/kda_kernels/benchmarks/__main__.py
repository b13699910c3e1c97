"""Measure every op and print a table: `python -m kda_kernels.benchmarks [--all] [--json FILE]`.

`--all` adds how time grows with requests, tokens and heads. `--json` also writes the results, with
the environment that they came from.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import sys
import tempfile
from pathlib import Path

import torch
import triton

from kda_kernels.benchmarks import inputs
from kda_kernels.benchmarks.cases import GROWTH, TARGETS, Measurement, measure
from kda_kernels.benchmarks.timing import copy_bandwidth, host_microseconds
from kda_kernels.verify import fused_kda_decode_mtp_dspark


def main(arguments: list[str] | None = None) -> int:
    """Exit code 2 without a GPU or with an unusable file."""
    parser = argparse.ArgumentParser(prog="python -m kda_kernels.benchmarks")
    parser.add_argument("--all", action="store_true", help="also how time grows with N, T1 and H")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the results to FILE")
    options = parser.parse_args(arguments)
    if not torch.cuda.is_available():
        print("kda_kernels.benchmarks: times need a CUDA GPU, and torch sees none", file=sys.stderr)
        return 2
    if options.json and not options.json.parent.is_dir():
        print(f"kda_kernels.benchmarks: no folder {options.json.parent}", file=sys.stderr)
        return 2
    torch.manual_seed(0)
    bandwidth = copy_bandwidth()
    print(f"{torch.cuda.get_device_name()}, copy {bandwidth / 1e12:.2f} TB/s")
    results = []
    for row in measure(TARGETS + (GROWTH if options.all else []), bandwidth):
        print(_line(row), flush=True)
        results.append(row)
    host = _host_cost()
    print(f"verify, N=1, T1=4, eager: {host:.0f} us of host time a call")
    if options.json:
        _write(options.json, _document(bandwidth, host, results))
    return 0


def _line(row: Measurement) -> str:
    case, ratio = row.case, row.microseconds / row.floor_microseconds
    line = (
        f"{case.op:17} N={case.N:<4} T={case.tokens:<3} H={case.H:<3} "
        f"{row.microseconds:8.1f} us  {ratio:6.2f} x floor"
    )
    if row.peer_microseconds is not None:
        line += f"  ({row.peer}: {row.peer_microseconds:.1f} us)"
    return line


def _host_cost() -> float:
    call = inputs.verify_inputs(1, 4, 12, rings=True)
    return host_microseconds(lambda: fused_kda_decode_mtp_dspark(**call))


def _document(bandwidth: float, host: float, results: list[Measurement]) -> dict[str, object]:
    return {
        "schema": 1,
        "environment": {
            "gpu": torch.cuda.get_device_name(),
            "torch": torch.__version__,
            "triton": triton.__version__,
            "cuda": torch.version.cuda,
            "python": platform.python_version(),
            "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        },
        "copy_bytes_per_second": bandwidth,
        "eager_host_microseconds": host,
        "results": [row.case._asdict() | _numbers(row) for row in results],
    }


def _numbers(row: Measurement) -> dict[str, object]:
    return {
        "microseconds": round(row.microseconds, 2),
        "floor_microseconds": round(row.floor_microseconds, 3),
        "error": row.error,
        "peer": row.peer,
        "peer_microseconds": row.peer_microseconds and round(row.peer_microseconds, 2),
    }


def _write(path: Path, document: dict[str, object]) -> None:
    with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False, suffix=".json") as file:
        file.write(json.dumps(document, indent=1) + "\n")
    os.replace(file.name, path)


if __name__ == "__main__":
    sys.exit(main())
