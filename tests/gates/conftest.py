"""A small library that keeps every rule, in a directory of its own, for tests to break."""

from __future__ import annotations

import datetime
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

import pytest

from errorkb import ledger
from errorkb.fingerprint import fingerprint
from errorkb.gates import Finding, Tree, run
from errorkb.layout import Layout
from errorkb.model import Environment, Ledger, Outcome, Place, Result
from errorkb.scaffold import write_schema
from errorkb.store import Library, load

_DATE = datetime.datetime(2026, 1, 2, tzinfo=datetime.UTC)

CONTRACT = '''\
"""Two checks."""

from kda_kernels.errors import ContractError


def check(size, count):
    if size % count != 0:
        raise ContractError("EKB0001", f"size {size} does not divide by count {count}")
    if size > 8:
        raise ContractError("EKB0002", f"size {size} is more than 8", got=f"{size}")
'''

RECORD = """\
code: {code}
title: {title}
kind: raises
exceptions: [kda_kernels.errors.ContractError]
messages:
  - template: "{template}"
    software: kda_kernels
    versions: ">=0.1"
    origin: executed
sites:
  - package: kda_kernels
    path: kda_kernels/contract.py
    function: check
    condition: {condition}
meaning: The sizes do not fit.
triggers:
  - when: The caller passes the wrong size.
    case: before
  - when: The size comes from elsewhere.
    case: trigger_elsewhere
fixes:
  - title: Pass the right size
    when: Always.
diagnosis:
  - say: "It is {{size}}."
related: [{related}]
example:
  requires: [cpu, gpu]
severity: error
error_type: validation
handling:
  strategy: validation
  background_tag: invalid-argument
history:
  - version: 0.1.0
    date: 2026-01-01
    change: Added.
"""

SCRIPT = '''\
"""Split a size over a count."""

from kda_kernels.contract import check

check({arguments})
actual = expected = 1
'''


@dataclass(frozen=True)
class SmallLibrary:
    """Where it lies, and how to change it and run gates on it."""

    root: Path

    def path(self, name: str) -> Path:
        return self.root / name

    def edit(self, name: str, old: str, new: str) -> None:
        text = self.path(name).read_text()
        assert old in text
        self.path(name).write_text(text.replace(old, new))

    def write(self, name: str, text: str) -> None:
        path = self.path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text))

    def load(self) -> Library:
        return load(Layout.at(self.root))

    def findings(
        self,
        gate: int,
        *,
        site: Path | None = None,
        against: str | None = None,
        release: bool = False,
    ) -> list[Finding]:
        library = self.load()
        tree = Tree(library, library.ledgers(), site=site, against=against, release=release)
        return run(tree, [gate])

    def execute(
        self,
        place: Place,
        *,
        failed: str | None = None,
        printed: dict[str, str] | None = None,
        left_out: str | None = None,
        survey: str | None = None,
    ) -> None:
        """Write the ledger of a place in which every item passed, but for the item `failed`.

        `printed` gives other messages than those that the examples print, by slug; `survey` is the
        release of Triton that the ledger is a survey of.
        """
        library = self.load()
        environment = Environment(
            name=f"test-{place}" if survey is None else f"test-{place}-{survey}",
            place=place,
            triton=survey,
            python="3",
            platform="x",
            date=_DATE,
            survey=survey is not None,
        )
        messages = {
            "demo/indivisible": "size 7 does not divide by count 2",
            "demo/too-large": "size 9 is more than 8",
        } | (printed or {})
        results = [
            Result(
                code=record.code,
                slug=slug,
                item=item,
                outcome=Outcome.FAILED if failed == item else Outcome.PASSED,
                reason="actual differs from expected" if failed == item else None,
                message=None
                if item == "after"
                else f"kda_kernels.errors.ContractError: {messages[slug]}",
                seconds=0.1,
                hash=fingerprint(library, slug),
                date=_DATE,
            )
            for slug, record in library.records.items()
            if record.example is not None
            for item in library.items(slug)
            if item != left_out
        ]
        ledger.write(Ledger(environment=environment, results=results), library.layout)

    def git(self, *arguments: str) -> None:
        environment = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
        who = ["-c", "user.name=test", "-c", "user.email=test@localhost"]
        subprocess.run(  # noqa: S603 - a fixed program on a directory of the test's own
            ["git", "-C", self.root, *who, *arguments],  # noqa: S607 - as the gate calls it
            check=True,
            capture_output=True,
            env=environment,
        )

    def commit(self) -> None:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "state")


@pytest.fixture
def small(tmp_path: Path) -> SmallLibrary:
    """Two records of two raise sites, executed on a CPU and a GPU."""
    library = SmallLibrary(tmp_path / "library")
    library.write("kernels/kda_kernels/__init__.py", "")
    library.write("kernels/kda_kernels/contract.py", CONTRACT)
    library.write(
        "errorkb/records/demo/indivisible.yaml",
        RECORD.format(
            code="EKB0001",
            title="The size does not divide",
            template="size {size:int} does not divide by count {count:int}",
            condition="size % count != 0",
            related="demo/too-large",
        ),
    )
    library.write(
        "errorkb/records/demo/too-large.yaml",
        RECORD.format(
            code="EKB0002",
            title="The size is too large",
            template="size {size:int} is more than 8",
            condition="size > 8",
            related="demo/indivisible",
        ),
    )
    for slug, wrong, elsewhere in (("indivisible", "7, 2", "5, 2"), ("too-large", "9, 1", "10, 1")):
        library.write(f"examples/demo/{slug}/before.py", SCRIPT.format(arguments=wrong))
        library.write(f"examples/demo/{slug}/after.py", SCRIPT.format(arguments="8, 2"))
        library.write(
            f"examples/demo/{slug}/trigger_elsewhere.py", SCRIPT.format(arguments=elsewhere)
        )
    library.path("docs").mkdir()
    write_schema(Layout.at(library.root))
    library.execute(Place.CPU)
    library.execute(Place.GPU)
    return library
