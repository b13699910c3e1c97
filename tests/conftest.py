"""A library in a directory of its own, with examples that need nothing but Python."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
import yaml
from scripts import Scripts

from errorkb.layout import Layout
from errorkb.model import Place
from errorkb.runner import Runner
from errorkb.store import Library, load

SLUG = "demo/odd-total"


def pytest_configure() -> None:
    """Hear Ctrl-C where the tests were started in the background of a shell, which ignores it: what
    is ignored is ignored by all commands that the tests start and interrupt.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def record(**changes: object) -> dict[str, Any]:
    """A record of an error that plain Python raises; `changes` replace or add keys."""
    data: dict[str, Any] = {
        "code": "EKB0001",
        "title": "An odd total",
        "kind": "raises",
        "exceptions": ["ValueError"],
        "messages": [
            {
                "template": "expected an even total, got {total:int}",
                "software": "demo",
                "versions": "*",
                "origin": "executed",
            }
        ],
        "meaning": "The total is split into halves.",
        "triggers": [{"when": "The total is odd.", "case": "before"}],
        "fixes": [{"title": "Pass an even total", "when": "Always."}],
        "example": {"requires": ["cpu"]},
        "severity": "error",
        "error_type": "validation",
        "handling": {"strategy": "validation", "background_tag": "invalid-argument"},
        "history": [{"version": "0.1.0", "date": "2026-01-01", "change": "Added."}],
    }
    data.update(changes)
    return {key: value for key, value in data.items() if value is not None}


BEFORE = """
    total = 7
    if total % 2:
        raise ValueError(f"expected an even total, got {total}")
"""
AFTER = """
    total = 8
    actual, expected = total // 2, 4
"""


@dataclass(frozen=True)
class Workshop:
    """Where the library lies, and how to put records and scripts into it."""

    root: Path

    def put(self, slug: str = SLUG, **changes: object) -> Path:
        """Write a record; returns its path."""
        path = self.root / "errorkb" / "records" / f"{slug}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(yaml.safe_dump(record(**changes), sort_keys=False), encoding="utf-8")
        return path

    def script(self, item: str, text: str, slug: str = SLUG) -> Path:
        """Write an example file; returns its path."""
        path = self.root / "examples" / slug / f"{item}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text).lstrip("\n"), encoding="utf-8")
        return path

    def example(self, slug: str = SLUG, **changes: object) -> None:
        """Write a whole record with its before and after, which do what it claims."""
        self.put(slug, **changes)
        self.script("before", BEFORE, slug)
        self.script("after", AFTER, slug)

    def load(self) -> Library:
        return load(Layout.at(self.root))


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    """An empty library."""
    (tmp_path / "errorkb" / "records").mkdir(parents=True)
    (tmp_path / "examples").mkdir()
    return Workshop(tmp_path)


@pytest.fixture
def make_record() -> Callable[..., dict[str, Any]]:
    """The record of `Workshop.put` as data."""
    return record


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    with Runner(Place.CPU, preload=()) as each:
        yield each


@pytest.fixture
def scripts(tmp_path: Path, runner: Runner) -> Scripts:
    return Scripts(tmp_path, runner)
