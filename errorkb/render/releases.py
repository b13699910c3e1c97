"""Which release prints which wording of a record, because it printed it; and which do otherwise."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from errorkb.attribution import version, wording
from errorkb.ledger import State
from errorkb.model import AFTER, Environment, ErrorRecord, Message, Outcome
from errorkb.render.views import Evidence, place_label

_SEED = re.compile(r" \(seed \d+\)$")


@dataclass(frozen=True)
class PrintedBy:
    """A wording, and for each place the versions that printed it there."""

    template: str
    where: list[tuple[str, str]]


@dataclass(frozen=True)
class Difference:
    """A case that other releases do not do as the record says, and what they do."""

    releases: str
    where: str
    item: str
    instead: str


def printed_by(record: ErrorRecord, evidence: Sequence[Evidence]) -> list[PrintedBy]:
    """The wordings that some environment printed, in the record's order."""
    found: dict[str, list[tuple[Evidence, str]]] = {}
    for each in evidence:
        result = each.cell.result
        if result is None or result.item == AFTER or result.outcome is not Outcome.PASSED:
            continue
        message = wording(record, each.message, each.environment) if each.message else None
        if message is not None:
            found.setdefault(message.template, []).append((each, _release(each, message)))
    return [
        PrintedBy(template, _grouped(found[template]))
        for template in dict.fromkeys(message.template for message in record.messages)
        if template in found
    ]


def differences(surveys: Sequence[Evidence]) -> list[Difference]:
    """What other releases do that the record does not say, each once with the releases."""
    found: dict[tuple[str, str, str], list[str]] = {}
    for each in surveys:
        if each.cell.differs:
            key = (place_label(each.environment), each.item, _SEED.sub("", each.reason))
            found.setdefault(key, []).append(f"triton {each.environment.triton}")
    return [
        Difference(_listed(releases), where, item, instead)
        for (where, item, instead), releases in found.items()
    ]


def as_claimed(surveys: Sequence[Evidence]) -> list[tuple[str, str]]:
    """The places of surveys, and in each the releases in which every case did as it should."""
    wrong = {each.environment.name for each in surveys if each.state is not State.PASSED}
    return _grouped(
        (each, f"triton {each.environment.triton}")
        for each in surveys
        if each.environment.name not in wrong
    )


def _release(each: Evidence, message: Message) -> str:
    """The version of what prints the message; for other software, of what runs beside it."""
    of = each.environment
    beside = ("triton", of.triton) if of.triton else ("Python", of.python)
    name, number = version(message, of) or beside
    return f"{name} {number}" + (" (stale)" if each.state is State.STALE else "")


def _grouped(releases: Iterable[tuple[Evidence, str]]) -> list[tuple[str, str]]:
    """Each place with its releases."""
    places: dict[str, list[str]] = {}
    for each, release in releases:
        places.setdefault(place_label(each.environment), []).append(release)
    return [(place, _listed(names)) for place, names in places.items()]


def _listed(releases: Iterable[str]) -> str:
    """`triton 3.5.1, 3.6.0`: the package once, oldest first."""
    packages: dict[str, set[str]] = {}
    for release in releases:
        package, _, number = release.partition(" ")
        packages.setdefault(package, set()).add(number)
    return "; ".join(
        f"{package} {', '.join(sorted(numbers, key=_order))}"
        for package, numbers in packages.items()
    )


def release_order(environment: Environment) -> tuple[list[int], str]:
    """Sorts environments by their Triton, oldest first."""
    return _order(environment.triton or ""), environment.place


def _order(number: str) -> list[int]:
    return [int(digits) for digits in re.findall(r"\d+", number)]
