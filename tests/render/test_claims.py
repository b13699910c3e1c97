"""claims: a statement needs a case that exists, and shows what the ledger says of that case."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from errorkb.errors import UsageError
from errorkb.render import plan

if TYPE_CHECKING:
    from conftest import Html, Workshop

NAME = "what-execution-found"


def claims(**changes: object) -> dict[str, Any]:
    claim: dict[str, Any] = {
        "page": "halves",
        "says": "Odd totals are rounded.",
        "found": "They raise.",
        "cases": [{"record": "demo/odd-total", "item": "before", "shows": "a total of 7."}],
    }
    return {
        "pages": {"halves": {"title": "Halves", "about": "It is about halves."}},
        "claims": [claim | changes],
    }


def put(workshop: Workshop, data: object) -> None:
    docs = workshop.root / "docs"
    docs.mkdir(exist_ok=True)
    (docs / f"{NAME}.yaml").write_text(yaml.safe_dump(data))


def shown(workshop: Workshop, to_html: Callable[[str], Html]) -> str:
    files = plan(workshop.load())
    return " ".join(to_html(files[f"{NAME}.md"].decode()).text.split())


def test_a_claim_stands_beside_its_case_and_its_outcome(
    workshop: Workshop, executed: Callable[..., None], to_html: Callable[[str], Html]
) -> None:
    workshop.example()
    executed()
    put(workshop, claims())
    text = shown(workshop, to_html)
    for each in (
        "The page says: Odd totals are rounded.",
        "Execution shows: They raise.",
        "case before: a total of 7.",
        "executed on CPU, 2026-01-02",
        "total = 7",
        "ValueError: expected an even total, got 7",
    ):
        assert each in text


def test_the_outcome_follows_the_ledger(
    workshop: Workshop, executed: Callable[..., None], to_html: Callable[[str], Html]
) -> None:
    workshop.example()
    put(workshop, claims())
    assert "not executed yet" in shown(workshop, to_html)
    executed()
    workshop.script("before", "total = 9\nraise ValueError('expected an even total, got 9')\n")
    text = shown(workshop, to_html)
    assert "stale on CPU" in text
    assert "executed on CPU" not in text


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (
            {"cases": [{"record": "demo/none", "item": "before", "shows": "nothing."}]},
            "there is no record demo/none",
        ),
        (
            {"cases": [{"record": "demo/odd-total", "item": "trigger_x", "shows": "nothing."}]},
            "does not execute 'trigger_x'",
        ),
        ({"cases": []}, "claims.0.cases"),
        ({"page": "other"}, "names the page 'other'"),
        ({"verdict": "wrong"}, "claims.0.verdict"),
    ],
)
def test_a_claim_without_its_case_fails_the_render(
    workshop: Workshop, changes: dict[str, object], sentence: str
) -> None:
    workshop.example()
    put(workshop, claims(**changes))
    with pytest.raises(UsageError, match=sentence):
        plan(workshop.load())


def test_without_the_file_there_is_no_page(workshop: Workshop) -> None:
    workshop.example()
    assert f"{NAME}.md" not in plan(workshop.load())
