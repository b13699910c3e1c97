"""Gate 3: what an example printed matches its own record and finds it before any other.

Stages: take each message that a ledger holds for a `before` or a trigger; one of the record's
templates must match it; a lookup of it must not put another record first. The message stands alone
here, without the notes that carry its code and without its traceback, so a wording that says too
little finds nothing; that the whole printed text finds its record is `errorkb verify`'s to check.
Then the versions: what printed a wording must be in its range, and what ran the examples without
printing any must be in none that is known from runs alone.
"""

from __future__ import annotations

from collections.abc import Iterator

from errorkb.attribution import is_said_of, version, wording
from errorkb.gates.finding import Finding, Tree
from errorkb.model import BEFORE, Environment, Outcome, Result, Slug
from errorkb.traceback import parse
from errorkb.verify import MAX_MESSAGE, lookup_answer


def told_apart(tree: Tree) -> Iterator[Finding]:
    """Gate 3: each printed message is its record's, and finds no other record first."""
    answer = lookup_answer(tree.library)
    seen: set[tuple[str, str, str | None]] = set()
    for environment, result in _printed(tree):
        message = result.message or ""
        key = (result.slug, message, environment.triton)
        if key in seen or len(message) > MAX_MESSAGE:
            continue
        seen.add(key)
        record = tree.library.records[result.slug]
        found = wording(record, message, environment)
        if found is None:
            yield tree.at_record(
                3,
                result.slug,
                "messages",
                f"no template of {record.code} matches what {result.item} printed: {message!r}.",
                repair=f"errorkb verify {record.code} --write, or correct the template",
            )
            continue
        printer = version(found, environment)
        if printer is not None and is_said_of(found, environment) is False:
            package, number = printer
            yield tree.at_record(
                3,
                result.slug,
                "messages",
                f"{package} {number} printed {found.template!r} ({environment.name}, "
                f"{result.item}), which is said of {found.versions}.",
                repair=f"include {number} in its versions",
            )
        first = answer(_alone(message))
        if first not in (None, result.slug):
            yield tree.at_record(
                3,
                result.slug,
                "messages",
                f"a lookup of what {result.item} printed finds {first} and not {record.code}: "
                f"{message!r}.",
                repair="make the templates of the two records tell their messages apart",
            )
    yield from _never_printed(tree)


def _never_printed(tree: Tree) -> Iterator[Finding]:
    """Versions of which a record says that they print a wording, and which ran without any."""
    ran: dict[tuple[Slug, str], list[tuple[Environment, Result]]] = {}
    for environment, result in _results(tree):
        if _prints(result) and result.outcome is not Outcome.NOT_RUN and environment.triton:
            ran.setdefault((result.slug, environment.triton), []).append((environment, result))
    for (slug, number), results in ran.items():
        if any(result.outcome is Outcome.PASSED for _, result in results):
            continue
        environment, result = results[0]
        for message in tree.library.records[slug].messages:
            # Where a source stands behind the range, a case that did not get there refutes nothing.
            known_from_runs = message.origin == "executed" and message.reference is None
            triton = message.software.split()[0] == "triton"
            if known_from_runs and triton and is_said_of(message, environment):
                yield tree.at_record(
                    3,
                    slug,
                    "messages",
                    f"{message.template!r} is said of {message.versions}, but triton {number} did "
                    f"not print it ({environment.name}): {result.reason}.",
                    repair=f"leave {number} out of its versions",
                )


def _results(tree: Tree) -> Iterator[tuple[Environment, Result]]:
    for ledger in tree.ledgers:
        for result in ledger.results:
            if result.slug in tree.library.records:
                yield ledger.environment, result


def _printed(tree: Tree) -> Iterator[tuple[Environment, Result]]:
    """The results whose message claims to be the record's."""
    for environment, result in _results(tree):
        if result.message is None or not tree.library.records[result.slug].messages:
            continue
        if result.outcome is Outcome.PASSED and _prints(result):
            yield environment, result


def _prints(result: Result) -> bool:
    """Whether the item must print a wording of its record; a recipe prints what its tool says."""
    return result.item == BEFORE or result.item.startswith("trigger_")


def _alone(printed: str) -> str:
    """Class and message without the notes below them."""
    for raised in parse(printed).exceptions:
        return f"{raised.cls}: {raised.message}" if raised.cls else raised.message
    return printed
