"""What is printed of a record: where it was verified, plainly, and colours only on a terminal."""

from __future__ import annotations

import datetime
import io
from typing import TYPE_CHECKING

import pytest

from errorkb import ledger
from errorkb.fingerprint import fingerprint
from errorkb.indexer import index_of
from errorkb.lookup import lookup
from errorkb.model import Environment, Ledger, Outcome, Place, Result
from errorkb.present import Style, answer_lines, plain, print_lines, record_lines

if TYPE_CHECKING:
    from conftest import Workshop

DATE = datetime.datetime(2026, 1, 2, tzinfo=datetime.UTC)
GPU = Environment(
    name="nvidia-h200",
    place=Place.GPU,
    gpu="NVIDIA H200",
    torch="2.11.0",
    triton="3.6.0",
    python="3.12",
    platform="Linux",
    date=DATE,
)
PASTE = "ValueError: expected an even total, got 7"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def write(workshop: Workshop, outcome: Outcome, *, digest: str | None = None) -> None:
    library = workshop.load()
    results = [
        Result(
            code="EKB0001",
            slug="demo/odd-total",
            item=item,
            outcome=outcome,
            reason=None if outcome is Outcome.PASSED else "because",
            seconds=0.1,
            hash=digest or fingerprint(library, "demo/odd-total"),
            date=DATE,
        )
        for item in ("before", "after")
    ]
    ledger.write(Ledger(environment=GPU, results=results), library.layout)


def printed(workshop: Workshop, stream: io.StringIO | None = None) -> str:
    index = index_of(workshop.load())
    return "\n".join(answer_lines(index, lookup(index, PASTE), Style(stream or io.StringIO())))


@pytest.mark.parametrize(
    ("outcome", "digest", "says"),
    [
        (Outcome.PASSED, None, "verified, 2 of 2 scripts as claimed"),
        (Outcome.PASSED, "0" * 16, "stale: record, example or kernels changed since"),
        (Outcome.FAILED, None, "FAILED there"),
        (Outcome.NOT_RUN, None, "not run there"),
    ],
)
def test_it_says_where_a_record_was_verified(
    workshop: Workshop, outcome: Outcome, digest: str | None, says: str
) -> None:
    workshop.example(example={"requires": ["gpu"]})
    write(workshop, outcome, digest=digest)
    text = printed(workshop)
    assert "NVIDIA H200, torch 2.11.0, triton 3.6.0, 2026-01-02: " in text
    assert says in " ".join(text.split())


def test_it_says_why_a_record_was_not_executed(workshop: Workshop) -> None:
    workshop.put(
        example=None,
        not_executed="It needs two hosts.",
        triggers=[{"when": "Odd.", "not_reproduced": "It needs two hosts."}],
    )
    assert "Not executed: It needs two hosts." in printed(workshop)


def test_colours_are_for_terminals_that_want_them(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    workshop.example()
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[32m  +total = 8\x1b[0m" in printed(workshop, Terminal())
    assert "\x1b" not in printed(workshop)
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in printed(workshop, Terminal())


def test_a_withdrawn_record_says_so(workshop: Workshop) -> None:
    workshop.example(withdrawn="Its cause was another.")
    lines = record_lines(index_of(workshop.load()).record(0), Style(io.StringIO()))
    assert "  Withdrawn: Its cause was another." in lines


def test_what_finds_the_launch_is_shown_with_its_command(workshop: Workshop) -> None:
    recipe = {
        "tool": "launch-blocking",
        "names": "if total % 2:",
        "shows": "It ends at the launch.",
    }
    workshop.example(recipes=[recipe])
    wanted = (
        "Find the launch\n  CUDA_LAUNCH_BLOCKING=1 python before.py\n    It ends at the launch.\n"
    )
    assert wanted in printed(workshop)
    lines = record_lines(index_of(workshop.load()).record(0), Style(io.StringIO()))
    assert wanted in "\n".join(lines)
    workshop.example()
    assert "Find the launch" not in printed(workshop)


def test_control_characters_are_replaced() -> None:
    assert plain("a\x1b[2J\x07\u202eb\nc") == "a\ufffd[2J\ufffd\ufffdb\nc"


def test_a_terminal_without_a_character_gets_another() -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    print_lines(["a \u2192 b"], stream)
    stream.flush()
    assert stream.buffer.getvalue() == b"a ? b\n"
