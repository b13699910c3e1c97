"""The ledger: what ran, where, with what result; and what that says about each record.

One JSON file per environment, written by `errorkb verify --write` and by nothing else.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from pydantic import ValidationError

from errorkb.errors import UsageError
from errorkb.fingerprint import fingerprint, is_current
from errorkb.layout import Layout
from errorkb.model import Environment, Item, Ledger, Outcome, Place, Result, Slug, Status
from errorkb.store import Library

MAX_LEDGER_BYTES = 64 << 20
"""A larger file is no ledger: ours have less than 1 MiB."""


class State(StrEnum):
    """What a ledger says about one item today."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_RUN = "not-run"
    """It could not run there, or a waiver holds; the result's reason says which."""
    STALE = "stale"
    """There is a result, but of other content than the tree's."""
    MISSING = "missing"


@dataclass(frozen=True)
class Cell:
    """One item in one environment; `result` is None where the ledger has none."""

    environment: str
    place: Place
    item: Item
    state: State
    result: Result | None
    survey: bool = False
    """Of a ledger that shows what another version prints."""

    @property
    def differs(self) -> bool:
        """Whether it says only that another version does not do what the record says."""
        return self.survey and self.state is State.FAILED


@dataclass(frozen=True)
class Standing:
    """The status of a record, and the cells of every ledger of a place that it requires."""

    status: Status
    cells: tuple[Cell, ...]

    @property
    def principal(self) -> tuple[Cell, ...]:
        """The cells without surveys, which add only passes of what the others could not run."""
        ran = {
            (cell.place, cell.item)
            for cell in self.cells
            if not cell.survey and cell.state not in (State.NOT_RUN, State.MISSING)
        }
        return tuple(
            cell
            for cell in self.cells
            if not cell.survey
            or (cell.state in (State.PASSED, State.STALE) and (cell.place, cell.item) not in ran)
        )

    def by_environment(self) -> dict[str, list[Cell]]:
        """The principal cells of each environment."""
        grouped: dict[str, list[Cell]] = {}
        for cell in self.principal:
            grouped.setdefault(cell.environment, []).append(cell)
        return grouped


def read_all(layout: Layout) -> list[Ledger]:
    """The ledgers of a layout, by environment name; none where nothing was ever verified.

    Raises:
        UsageError: a file is not a ledger.
    """
    if not layout.verification.is_dir():
        return []
    return [read(path) for path in sorted(layout.verification.glob("*.json"))]


def read(path: Path) -> Ledger:
    """One ledger file.

    Raises:
        UsageError: it cannot be read or is not a ledger named after its environment.
    """
    try:
        with open(path, "rb", opener=_without_waiting) as file:
            data = file.read(MAX_LEDGER_BYTES + 1)
        if len(data) > MAX_LEDGER_BYTES:
            raise UsageError(f"{path} is larger than {MAX_LEDGER_BYTES >> 20} MiB; remove it")
        ledger = Ledger.model_validate_json(data)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from None
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise UsageError(
            f"{path} is not a ledger ({where or 'file'}: {first['msg']}); "
            f"restore it from version control or write it again with errorkb verify --write"
        ) from None
    if path.stem != ledger.environment.name:
        raise UsageError(f"{path} holds the ledger of {ledger.environment.name}; rename it")
    return ledger


def _without_waiting(path: str, flags: int) -> int:
    """Open a file, and also a pipe to which nobody writes."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


@contextmanager
def alone(layout: Layout) -> Iterator[None]:
    """Make the folder of the ledgers and hold it against other runs that would write there.

    Who reads, merges and writes inside loses no result of another run.

    Raises:
        UsageError: nothing can be written there.
    """
    folder = layout.verification
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as probe:
            probe.write(b"\n")
            probe.flush()
        handle = os.open(folder, os.O_RDONLY)
    except OSError as error:
        raise UsageError(f"{folder} cannot be written: {error.strerror}") from None
    try:
        with suppress(ImportError, OSError):  # a system or a file system without locks
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def merge(old: Ledger | None, new: Ledger, library: Library) -> Ledger:
    """`new` over `old`: results that were not run again stay, those of items now gone go.

    The environment is the new run's. An earlier result keeps its own date and hash. A pass stays
    where the same content could not run this time, for want of a package or a tool, say.
    """
    results = {(r.slug, r.item): r for r in old.results} if old is not None else {}
    for result in new.results:
        before = results.get((result.slug, result.item))
        if result.outcome is not Outcome.NOT_RUN or before is None or not _holds(before, result):
            results[result.slug, result.item] = result
    kept = [
        result for result in results.values() if _belongs(result, new.environment.place, library)
    ]
    kept.sort(key=lambda r: (r.slug, library.items(r.slug).index(r.item)))
    return Ledger(environment=new.environment, results=kept)


def _holds(before: Result, not_run: Result) -> bool:
    return before.outcome is Outcome.PASSED and before.hash == not_run.hash


def _belongs(result: Result, place: Place, library: Library) -> bool:
    record = library.records.get(result.slug)
    return (
        record is not None
        and record.code == result.code
        and record.example is not None
        and place in record.example.requires
        and result.item in library.items(result.slug)
    )


def write(ledger: Ledger, layout: Layout) -> Path:
    """Write a ledger in place of the committed one, whole or not at all; returns its path."""
    layout.verification.mkdir(parents=True, exist_ok=True)
    path = layout.verification / f"{ledger.environment.name}.json"
    data = ledger.model_dump(mode="json", by_alias=True, exclude_none=True)
    text = json.dumps(data, indent=1, ensure_ascii=False) + "\n"
    handle, temporary = tempfile.mkstemp(dir=layout.verification, prefix=".", suffix=".tmp")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        Path(temporary).chmod(0o644)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    return path


def status(library: Library, ledgers: Iterable[Ledger]) -> Mapping[Slug, Standing]:
    """What the ledgers say about each record today.

    - `documented`: the record says why it is not executed.
    - `failed`: a result for the present content failed, in any environment of a required place
      but a survey's.
    - `verified`: in every required place that has a ledger, each item has a pass for the present
      content in at least one environment of that place, or a stated reason not to run there; and
      each item passed in at least one place. A survey adds its passes and nothing else.
    - `stale`: all else: a needed result is missing or speaks of other content.
    """
    known = list(ledgers)
    return {slug: _standing(library, slug, known) for slug in library.records}


def _standing(library: Library, slug: Slug, ledgers: Sequence[Ledger]) -> Standing:
    example = library.records[slug].example
    if example is None:
        return Standing(Status.DOCUMENTED, ())
    now = fingerprint(library, slug)
    items = library.items(slug)
    cells = tuple(
        cell
        for ledger in ledgers
        if ledger.environment.place in example.requires
        for cell in _cells(ledger.environment, ledger.results, slug, items, now)
    )
    return Standing(_conclude(cells, items), cells)


def _cells(
    environment: Environment, results: Sequence[Result], slug: Slug, items: Sequence[Item], now: str
) -> list[Cell]:
    found = {result.item: result for result in results if result.slug == slug}
    cells = []
    for item in items:
        result = found.get(item)
        if result is None:
            state = State.MISSING
        elif not is_current(result.hash, now):
            state = State.STALE
        else:
            state = {
                Outcome.PASSED: State.PASSED,
                Outcome.FAILED: State.FAILED,
                Outcome.NOT_RUN: State.NOT_RUN,
            }[result.outcome]
        cells.append(
            Cell(environment.name, environment.place, item, state, result, environment.survey)
        )
    return cells


def _conclude(cells: Sequence[Cell], items: Sequence[Item]) -> Status:
    cells = [cell for cell in cells if not cell.survey or cell.state is State.PASSED]
    if any(cell.state is State.FAILED for cell in cells):
        return Status.FAILED
    per_place: dict[tuple[Place, Item], set[State]] = {}
    for cell in cells:
        per_place.setdefault((cell.place, cell.item), set()).add(cell.state)
    settled = all(states & {State.PASSED, State.NOT_RUN} for states in per_place.values())
    passed = {cell.item for cell in cells if cell.state is State.PASSED}
    return Status.VERIFIED if settled and passed == set(items) else Status.STALE
