"""Where a wording begins and ends in a passage, and how much of it that explains."""

from __future__ import annotations

import pytest

from errorkb.diagnosis import parse_expression
from errorkb.index import Index, Wording
from errorkb.matching import find
from errorkb.passages import Passage
from errorkb.pattern import Placeholder, Template
from errorkb.words import words

EMPTY = Index({"heads": [], "postings": {}, "wordings": []})


def wording(template: str, when: str | None = None) -> Wording:
    parsed = Template.parse(template)
    pieces = [(p.name, p.type) if isinstance(p, Placeholder) else p for p in parsed.pieces]
    literal = words(" ".join(parsed.literals))
    condition = None if when is None else parse_expression(when)
    return Wording(0, (0, pieces, condition, tuple(literal), "demo"), EMPTY)


def passage(text: str) -> Passage:
    return Passage(text, 1, None, 0, [])


@pytest.mark.parametrize(
    ("text", "clean", "cut"),
    [
        ("expected pool 4, got 7", True, False),
        ("expected pool 4, got 7 \nmore lines", True, False),
        ("capture failed: expected pool 4, got 7", True, False),
        ("`expected pool 4, got 7`", True, False),
        ("expected pool 4, got 7.. ", True, False),
        ("expected pool 4, got 7  (\u00d75)", True, False),
        ("we expected pool 4, got 7", False, False),
        ("expected pool 4, got 7 slots", False, False),
        ("expected pool 4, go", True, True),
        ("expected pool 4, go...\nmore", True, True),
    ],
)
def test_beginnings_and_ends(text: str, clean: bool, cut: bool) -> None:
    match = find(wording("expected pool {want:int}, got {got:int}"), passage(text))
    assert match is not None
    assert (match.clean, match.cut) == (clean, cut)
    assert match.captures["want"] == 4


@pytest.mark.parametrize(
    "text",
    [
        "unexpected pool 4, got 7",
        "expected pool 4, got 7x",
        "expected pools 4, got 7",
        "expected pool 4\n, got 7",
        "",
    ],
)
def test_what_does_not_match(text: str) -> None:
    assert find(wording("expected pool {want:int}, got {got:int}"), passage(text)) is None


def test_free_captures_explain_nothing() -> None:
    typed = find(wording("pool {n:int} is bad"), passage("pool 1234567 is bad"))
    free = find(wording("pool {n:str} is bad"), passage("pool 1234567 is bad"))
    assert typed is not None
    assert free is not None
    assert typed.share == 1.0
    assert free.share < 0.7


def test_a_condition_decides() -> None:
    assert find(wording("pool {n:int} is bad", "n > 4"), passage("pool 5 is bad")) is not None
    assert find(wording("pool {n:int} is bad", "n > 4"), passage("pool 3 is bad")) is None


def test_a_wording_of_two_lines_takes_two() -> None:
    match = find(
        wording("codegen error\n`ptxas` said {what:str}"),
        passage("codegen error\n`ptxas` said no\nand more"),
    )
    assert match is not None
    assert match.captures == {"what": "no"}


def test_the_beginning_of_a_wording_must_say_something() -> None:
    """A leading placeholder takes any line, and so it is no beginning of the wording."""
    located = wording("{file:str}:{line:int}: block {block:str} failed the check")
    assert find(located, passage("launcher.py] failed (exitcode: 1) of binary: python")) is None
    cut = find(located, passage("a.cu:7: block [0,0] failed th"))
    assert cut is not None
    assert cut.cut
