"""Results in words: a badge for an environment, sentences for an item."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from errorkb.ledger import State
from errorkb.render.views import Badge, Evidence, enumerated

_WHERE = "\0"


def badge(label: str, evidence: Sequence[Evidence]) -> Badge:
    """One environment's word on a record."""
    states = {each.state for each in evidence}
    day = max(each.date for each in evidence)
    if State.FAILED in states:
        return Badge(f"failed on {label}", "bad")
    if states == {State.MISSING}:
        return Badge(f"not run yet on {label}", "muted")
    if State.STALE in states or State.MISSING in states:
        return Badge(f"stale on {label}", "stale")
    if State.PASSED in states:
        return Badge(f"verified on {label}, {day}", "ok")
    return Badge(f"not run on {label}", "muted")


def sentences(evidence: Iterable[Evidence], *, after: bool = False) -> list[str]:
    """What running an item showed; environments of which the same is true share a sentence."""
    said: dict[str, list[str]] = {}
    for each in evidence:
        said.setdefault(_ran(each, after=after), []).append(each.label)
    return [text.replace(_WHERE, enumerated(labels)) for text, labels in said.items()] or [
        "Not executed yet."
    ]


def _ran(each: Evidence, *, after: bool) -> str:
    """One sentence about one item, with `_WHERE` in the place of the environment."""
    passed = "it fails with this error" if each.message else "it differs from the reference"
    if each.item.startswith("recipe_"):
        passed = "its output names the line"
    elif after:
        passed = f"largest error {each.max_error}" if each.max_error else each.reason
    elif each.max_error:
        passed = f"it differs from the reference by {each.max_error} of the largest value"
    sentence = {
        State.MISSING: f"No result on {_WHERE} yet",
        State.STALE: f"Stale on {_WHERE}: the files have changed since {each.date}",
        State.NOT_RUN: f"Not run on {_WHERE}: {each.reason}",
        State.FAILED: f"Failed on {_WHERE}, {each.date}: {each.reason}",
        State.PASSED: f"Executed on {_WHERE}, {each.date}: {passed or 'it finished'}",
    }[each.state]
    return f"{sentence.rstrip('.')}."
