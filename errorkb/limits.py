"""What one kernel launch may use on each generation of GPUs, and where each figure comes from.

The figures are data, `limits.json`. A lookup loads this module only when a diagnosis asks for it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

_FILE = Path(__file__).with_name("limits.json")


class Source(NamedTuple):
    """Where figures come from, and which."""

    title: str
    where: str
    says: str


class Limits(NamedTuple):
    """The limits of one architecture; sizes in bytes, None where no source states a figure.

    `sm` stands for a streaming multiprocessor, or a compute unit of AMD; `block` and `grid` are the
    largest extents by axis. `shared_per_block` can be had without a request; Triton and other
    libraries request up to `shared_per_block_opt_in`, which is what their messages call the limit.
    """

    target: str
    gpus: tuple[str, ...]
    sources: tuple[Source, ...]
    warp_size: int
    shared_per_block: int
    shared_per_block_opt_in: int
    shared_per_sm: int
    registers_per_sm: int
    registers_per_block: int | None = None
    registers_per_thread: int | None = None
    threads_per_block: int | None = None
    threads_per_sm: int | None = None
    blocks_per_sm: int | None = None
    block: tuple[int, int, int] | None = None
    grid: tuple[int, int, int] | None = None

    @property
    def capability(self) -> str | None:
        """NVIDIA's compute capability, such as 9.0; None for AMD."""
        digits = self.target.removeprefix("sm_")
        return None if digits == self.target else f"{digits[:-1]}.{digits[-1]}"

    @property
    def name(self) -> str:
        """The compute capability or the target, with GPUs that have it."""
        return f"{self.capability or self.target} ({', '.join(self.gpus)})"


@cache
def table() -> tuple[Limits, ...]:
    """All architectures, NVIDIA's before AMD's, older ones first."""
    data = json.loads(_FILE.read_text(encoding="utf-8"))
    known = {key: Source(**source) for key, source in data["sources"].items()}
    return tuple(_row(row, known) for row in data["rows"])


def _row(row: dict[str, Any], known: dict[str, Source]) -> Limits:
    values: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in row.items()
    }
    values["sources"] = tuple(known[key] for key in row["sources"])
    return Limits(**values)


def gpus_with(limit: int) -> str:
    """The GPUs whose blocks may have `limit` bytes of shared memory and no more; may be empty."""
    return _names(row for row in table() if row.shared_per_block_opt_in == limit)


def gpus_for(required: int) -> str:
    """The GPUs whose blocks may have `required` bytes of shared memory; may be empty."""
    return _names(row for row in table() if row.shared_per_block_opt_in >= required)


def _names(rows: Iterable[Limits]) -> str:
    return ", ".join(row.name for row in rows)
