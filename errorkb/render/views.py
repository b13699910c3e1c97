"""What a template may ask about a record: the record joined with its examples and the ledgers.

The views hold plain text. Escaping happens in the templates, by the filters of
`errorkb.render.text`, at the place where each string is put.
"""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from errorkb.ledger import Cell, State
from errorkb.model import Environment, Kind, Place

KIND_LABELS = {
    Kind.RAISES: "raises an exception",
    Kind.COMPILE: "does not compile",
    Kind.DEVICE: "asynchronous CUDA error",
    Kind.SILENT: "silent: wrong numbers",
    Kind.ENVIRONMENT: "environment",
}
ORIGINS = {
    "executed": "a run here",
    "source": "its source",
    "report": "a public report",
}
_PLACES = {
    Place.GPU: "GPU",
    Place.INTERPRETER: "Triton interpreter",
    Place.COMPILE: "Triton compiler",
    Place.CPU: "CPU",
}
LONGEST_PRINT = 60
"""Lines of a printed message that a page shows; the JSON has them all."""


@dataclass(frozen=True)
class Badge:
    """A short label; `tone` is one of ok, stale, bad, muted and a class of the style sheet."""

    text: str
    tone: str


BADGES = {
    State.PASSED: Badge("passed", "ok"),
    State.FAILED: Badge("failed", "bad"),
    State.NOT_RUN: Badge("not run", "muted"),
    State.STALE: Badge("stale", "stale"),
    State.MISSING: Badge("no result yet", "stale"),
}


@dataclass(frozen=True)
class Evidence:
    """What one ledger says about one item of a record."""

    environment: Environment
    label: str
    cell: Cell

    @property
    def item(self) -> str:
        """The item: before, after, trigger_<name> or recipe_<tool>."""
        return self.cell.item

    @property
    def state(self) -> State:
        """What the ledger says about it today."""
        return self.cell.state

    @property
    def badge(self) -> Badge:
        """The state as shown."""
        return BADGES[self.cell.state]

    @property
    def message(self) -> str:
        """What it printed, as it was recorded; empty where nothing was."""
        return (self.cell.result.message if self.cell.result else None) or ""

    @property
    def reason(self) -> str:
        """Why it failed or was not run, or what was not compared; may be empty."""
        return (self.cell.result.reason if self.cell.result else None) or ""

    @property
    def date(self) -> str:
        """The day of the run, ISO 8601; empty where there was none."""
        return self.cell.result.date.date().isoformat() if self.cell.result else ""

    @property
    def versions(self) -> str:
        """The software that ran, on one line."""
        return versions(self.environment)

    @property
    def max_error(self) -> str:
        """The largest relative error; empty where nothing was compared."""
        error = self.cell.result.max_error if self.cell.result else None
        if error is None:
            return ""
        return "0" if error == 0 else f"{error:.1e}"


def versions(environment: Environment) -> str:
    """The software of an environment, on one line."""
    named = [
        ("torch", environment.torch),
        ("triton", environment.triton),
        ("numpy", environment.numpy),
        ("CUDA", environment.cuda),
        ("Python", environment.python),
    ]
    return ", ".join(f"{name} {version}" for name, version in named if version)


def labels(environments: Iterable[Environment]) -> dict[str, str]:
    """A readable name for each environment; two of the same kind are told apart by version.

    A survey always names its version.
    """
    every = list(environments)
    surveys = {each.name: f"{place_label(each)}, {_version(each)}" for each in every if each.survey}
    environments = [each for each in every if not each.survey]
    named = {each.name: place_label(each) for each in environments}
    for suffix in (_version, lambda each: each.name):
        often = Counter(named.values())
        for each in environments:
            if often[named[each.name]] > 1:
                named[each.name] += f", {suffix(each)}"
    return named | surveys


def _version(environment: Environment) -> str:
    if environment.triton:
        return f"triton {environment.triton}"
    return f"torch {environment.torch}" if environment.torch else f"Python {environment.python}"


def place_label(environment: Environment) -> str:
    """The GPU, or the place where there is none."""
    label = environment.gpu or _PLACES[environment.place]
    if environment.place is Place.COMPILE and environment.compute_capability:
        label += f" for sm_{environment.compute_capability.replace('.', '')}"
    return label


def enumerated(names: Iterable[str]) -> str:
    """`a`, `a and b`, `a, b and c`; a name given twice is named once."""
    *first, last = dict.fromkeys(names)
    return f"{', '.join(first)} and {last}" if first else last


@dataclass(frozen=True)
class Printed:
    """A message as some environments printed it."""

    text: str
    caption: str


def printed(evidence: Iterable[Evidence], item: str) -> list[Printed]:
    """What `item` printed, each wording once, GPU first."""
    wordings: dict[str, list[str]] = {}
    for each in sorted(evidence, key=_gpu_first):
        if each.item == item and each.message.strip():
            stale = ", stale" if each.state is State.STALE else ""
            wordings.setdefault(each.message.strip(), []).append(each.label + stale)
    return [
        Printed(shortened(text), f"Printed on {enumerated(where)}")
        for text, where in wordings.items()
    ]


def _gpu_first(each: Evidence) -> tuple[bool, bool, str]:
    stale = each.state is not State.PASSED
    return (stale, each.environment.place is not Place.GPU, each.environment.name)


def shortened(text: str) -> str:
    """At most `LONGEST_PRINT` lines of `text`; says how many were left out."""
    lines = text.splitlines()
    if len(lines) <= LONGEST_PRINT:
        return text
    head, tail = lines[: LONGEST_PRINT - 20], lines[-20:]
    left_out = len(lines) - len(head) - len(tail)
    return "\n".join([*head, f"[{left_out} lines left out here; the JSON has them]", *tail])


def diff(before: str, after: str, context: int = 3) -> str:
    """The difference of two scripts as a unified diff without its file header."""
    lines = list(
        difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=context)
    )[2:]
    if sum(line.startswith("@@") for line in lines) == 1:
        lines = [line for line in lines if not line.startswith("@@")]
    while lines and not lines[0].strip():
        del lines[0]
    while lines and not lines[-1].strip():
        del lines[-1]
    return "\n".join(lines)
