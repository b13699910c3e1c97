"""results: what a page says of an item is what its ledgers hold."""

from __future__ import annotations

import datetime

import pytest

from errorkb.ledger import Cell, State
from errorkb.model import Environment, Outcome, Place, Result
from errorkb.render.results import badge, sentences
from errorkb.render.views import Badge, Evidence

DATE = datetime.datetime(2026, 1, 2, tzinfo=datetime.UTC)


def evidence(
    state: State,
    *,
    item: str = "before",
    label: str = "CPU",
    day: int = 2,
    reason: str | None = None,
    message: str | None = None,
    max_error: float | None = None,
) -> Evidence:
    environment = Environment(
        name=label.lower(), place=Place.CPU, python="3.11", platform="Linux", date=DATE
    )
    result = Result(
        code="EKB0001",
        slug="demo/odd-total",
        item=item,
        outcome=Outcome.PASSED,
        reason=reason,
        message=message,
        max_error=max_error,
        seconds=0.1,
        hash="0",
        date=DATE.replace(day=day),
    )
    ran = None if state is State.MISSING else result
    cell = Cell(environment.name, environment.place, item, state, ran, survey=False)
    return Evidence(environment, label, cell)


@pytest.mark.parametrize(
    ("states", "shown"),
    [
        ([State.PASSED, State.FAILED, State.STALE], Badge("failed on CPU", "bad")),
        ([State.MISSING, State.MISSING], Badge("not run yet on CPU", "muted")),
        ([State.PASSED, State.MISSING], Badge("stale on CPU", "stale")),
        ([State.PASSED, State.STALE], Badge("stale on CPU", "stale")),
        ([State.PASSED, State.NOT_RUN], Badge("verified on CPU, 2026-01-03", "ok")),
        ([State.NOT_RUN], Badge("not run on CPU", "muted")),
    ],
)
def test_a_badge_is_the_worst_of_the_items(states: list[State], shown: Badge) -> None:
    assert badge("CPU", [evidence(each, day=2 + n) for n, each in enumerate(states)]) == shown


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (evidence(State.MISSING), "No result on CPU yet."),
        (evidence(State.STALE), "Stale on CPU: the files have changed since 2026-01-02."),
        (evidence(State.NOT_RUN, reason="It needs gcc."), "Not run on CPU: It needs gcc."),
        (evidence(State.FAILED, reason="no luck"), "Failed on CPU, 2026-01-02: no luck."),
        (
            evidence(State.PASSED, message="ValueError: x"),
            "Executed on CPU, 2026-01-02: it fails with this error.",
        ),
        (
            evidence(State.PASSED, max_error=0.25),
            "Executed on CPU, 2026-01-02: it differs from the reference by 2.5e-01 of the largest "
            "value.",
        ),
        (
            evidence(State.PASSED, item="recipe_memcheck", message="=== line 3"),
            "Executed on CPU, 2026-01-02: its output names the line.",
        ),
    ],
)
def test_a_sentence_for_each_state(given: Evidence, said: str) -> None:
    assert sentences([given]) == [said]


@pytest.mark.parametrize(
    ("max_error", "reason", "said"),
    [
        (0.0, None, "largest error 0"),
        (None, "there is nothing to compare", "there is nothing to compare"),
        (None, None, "it finished"),
    ],
)
def test_a_fix_says_what_was_compared(
    max_error: float | None, reason: str | None, said: str
) -> None:
    given = evidence(State.PASSED, item="after", max_error=max_error, reason=reason)
    assert sentences([given], after=True) == [f"Executed on CPU, 2026-01-02: {said}."]


def test_what_is_the_same_in_two_places_is_said_once() -> None:
    given = [
        evidence(State.PASSED, message="ValueError: x"),
        evidence(State.PASSED, message="ValueError: x", label="GPU"),
        evidence(State.MISSING, label="Interpreter"),
    ]
    assert sentences(given) == [
        "Executed on CPU and GPU, 2026-01-02: it fails with this error.",
        "No result on Interpreter yet.",
    ]
    assert sentences([]) == ["Not executed yet."]
