"""Scripts that a test writes and runs; the fixtures `runner` and `scripts` are in conftest.py."""

from __future__ import annotations

import time
from pathlib import Path
from textwrap import dedent

import pytest

from errorkb.runner import Case, Report, Runner

FRESH = pytest.mark.parametrize("fresh", [False, True], ids=["fork", "process"])


class Scripts:
    def __init__(self, folder: Path, runner: Runner) -> None:
        self.folder = folder
        self.runner = runner

    def write(self, text: str, name: str = "before.py") -> Path:
        path = self.folder / name
        path.write_text(dedent(text).lstrip("\n"))
        return path

    def run(
        self, text: str, *, guard: str | None = None, fresh: bool = False, timeout: float = 60
    ) -> Report:
        snippet = self.write(guard, "guard.py") if guard is not None else None
        case = Case(self.write(text), guard=snippet, fresh=fresh, timeout=timeout)
        return self.runner.run(case)


def is_gone(pid: int, *, within: float = 5) -> bool:
    """Whether the process ends within so many seconds; what nobody waits for stays as a zombie."""
    deadline = time.monotonic() + within
    while time.monotonic() < deadline:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return True
        if state == "Z":
            return True
        time.sleep(0.05)
    return False
