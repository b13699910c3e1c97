"""What a gate reads and what it says."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from errorkb.model import Ledger, Slug
from errorkb.store import Library


class Severity(StrEnum):
    """Whether a finding fails the check."""

    ERROR = "error"
    NOTICE = "notice"
    """Reported and counted; only a release needs it gone."""


@dataclass(frozen=True)
class Finding:
    """One broken rule: where, one sentence, and the command or text that repairs it."""

    gate: int
    path: str
    """Relative to the root of the library where it lies there."""
    line: int
    message: str
    repair: str | None = None
    severity: Severity = Severity.ERROR

    def __str__(self) -> str:
        repair = f"\n    repair: {self.repair}" if self.repair else ""
        return f"{self.path}:{self.line}: gate {self.gate}: {self.message}{repair}"


@dataclass(frozen=True)
class Tree:
    """A library and what else the gates compare it with."""

    library: Library
    ledgers: list[Ledger] = field(default_factory=list)
    site: Path | None = None
    """A built site, for gate 6."""
    against: str | None = None
    """The git revision that gate 4 compares with; None chooses main."""
    release: bool = False
    """Whether what only a release needs is an error."""

    @property
    def root(self) -> Path:
        return self.library.layout.root

    def shown(self, path: Path) -> str:
        """`path` relative to the root where it lies there."""
        return (
            path.relative_to(self.root).as_posix() if path.is_relative_to(self.root) else str(path)
        )

    def at_record(
        self,
        gate: int,
        slug: Slug,
        key: str,
        message: str,
        *,
        repair: str | None = None,
        severity: Severity = Severity.ERROR,
    ) -> Finding:
        """A finding at a top-level key of a record, or at its start where the key is absent."""
        path = self.library.record_path(slug)
        lines = path.read_text(encoding="utf-8").splitlines()
        starts = (number for number, text in enumerate(lines, 1) if text.startswith(f"{key}:"))
        return Finding(gate, self.shown(path), next(starts, 1), message, repair, severity)

    def for_release(self) -> Severity:
        """The severity of what is only needed before a release."""
        return Severity.ERROR if self.release else Severity.NOTICE
