"""The values of the page on GPU limits: the table as text, and what uses it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from errorkb.limits import Limits, Source, table
from errorkb.render.site import Site

TAG = "gpu-limits"
"""Records with this tag link to the page, and the page to them."""

_ROWS: tuple[tuple[str, Callable[[Limits], object]], ...] = (
    ("Shared memory of a block", lambda row: _kib(row.shared_per_block_opt_in)),
    ("The same without asking for more", lambda row: _kib(row.shared_per_block)),
    ("Shared memory of an SM", lambda row: _kib(row.shared_per_sm)),
    ("Registers (32-bit) of a thread", lambda row: row.registers_per_thread),
    ("Registers of a block", lambda row: row.registers_per_block),
    ("Registers of an SM", lambda row: row.registers_per_sm),
    ("Threads of a block", lambda row: row.threads_per_block),
    ("Threads of a block by axis", lambda row: row.block),
    ("Threads resident on an SM", lambda row: row.threads_per_sm),
    ("Blocks resident on an SM", lambda row: row.blocks_per_sm),
    ("Threads of a warp", lambda row: row.warp_size),
    ("Blocks of a grid on axis x", lambda row: row.grid[0] if row.grid else None),
    ("Blocks of a grid on y and z", lambda row: row.grid[1] if row.grid else None),
)


def values(site: Site) -> dict[str, Any]:
    """What the template asks for."""
    nvidia = [row for row in table() if row.capability]
    amd = [row for row in table() if not row.capability]
    return {
        "vendors": [("NVIDIA", nvidia), ("AMD", amd)],
        "facts": facts,
        "checked": _checked(site),
        "users": [page for page in site.pages if TAG in page.record.tags],
        "sources": _sources(),
    }


def facts(rows: Sequence[Limits]) -> list[tuple[str, list[str]]]:
    """The lines of a table whose columns are `rows`; those that no source states are left out."""
    lines = [(name, [_text(value(row)) for row in rows]) for name, value in _ROWS]
    return [(name, cells) for name, cells in lines if any(cells)]


def _checked(site: Site) -> str:
    """The GPUs of the ledgers whose architecture the table has."""
    known = {row.capability for row in table()}
    ran = [each.environment for each in site.ledgers]
    gpus = [each.gpu for each in ran if each.gpu and each.compute_capability in known]
    return ", ".join(dict.fromkeys(gpus))


def _sources() -> list[tuple[Source, list[str]]]:
    """Every source with the targets that it speaks of."""
    found: dict[Source, list[str]] = {}
    for row in table():
        for source in row.sources:
            found.setdefault(source, []).append(row.target)
    return list(found.items())


def _kib(number: int) -> str:
    return f"{number // 1024} KiB = {number:,}"


def _text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, tuple):
        return " x ".join(f"{each:,}" for each in value)
    return f"{value:,}" if isinstance(value, int) else str(value)
