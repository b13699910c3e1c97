"""Gate 3: what an example printed matches its own record and finds it before any other.

Stages: take each message that a ledger holds for a `before` or a trigger; one of the record's
templates must match it; a lookup of it must not put another record first. The message stands alone
here, without the notes that carry its code and without its traceback, so a wording that says too
little finds nothing; that the whole printed text finds its record is `errorkb verify`'s to check.
"""

from __future__ import annotations

from collections.abc import Iterator

from errorkb.gates.finding import Finding, Tree
from errorkb.model import AFTER, ErrorRecord, Outcome, Result
from errorkb.pattern import Template
from errorkb.traceback import parse
from errorkb.verify import MAX_MESSAGE, lookup_answer


def told_apart(tree: Tree) -> Iterator[Finding]:
    """Gate 3: each printed message is its record's, and finds no other record first."""
    answer = lookup_answer(tree.library)
    seen: set[tuple[str, str]] = set()
    for result in _printed(tree):
        message = result.message or ""
        if (result.slug, message) in seen or len(message) > MAX_MESSAGE:
            continue
        seen.add((result.slug, message))
        record = tree.library.records[result.slug]
        if not _matches(record, message):
            yield tree.at_record(
                3,
                result.slug,
                "messages",
                f"no template of {record.code} matches what {result.item} printed: {message!r}.",
                repair=f"errorkb verify {record.code} --write, or correct the template",
            )
            continue
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


def _printed(tree: Tree) -> Iterator[Result]:
    """The results whose message claims to be the record's."""
    for ledger in tree.ledgers:
        for result in ledger.results:
            record = tree.library.records.get(result.slug)
            if record is None or result.message is None or not record.messages:
                continue
            if result.outcome is Outcome.PASSED and result.item != AFTER:
                yield result


def _matches(record: ErrorRecord, printed: str) -> bool:
    """Whether a template takes the message, which is printed after the class where it has one."""
    texts = [printed, *(raised.message for raised in parse(printed).exceptions)]
    templates = [Template.parse(message.template) for message in record.messages]
    return any(template.match(text) is not None for template in templates for text in texts)


def _alone(printed: str) -> str:
    """Class and message without the notes below them."""
    for raised in parse(printed).exceptions:
        return f"{raised.cls}: {raised.message}" if raised.cls else raised.message
    return printed
