"""Gates 7 and 8: no record without its executed example or its stated reason, and no stale result.

Stages: the record names only what exists (files, related records, captured values) and nothing is
left to fill in; then the ledgers must hold a pass for each item in each required place; then those
passes must speak of the files as they are. A GPU is not everywhere, so what is missing or stale
there is a notice, and an error for a release.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path

from errorkb.diagnosis import parse_rule
from errorkb.errors import UsageError
from errorkb.gates.finding import Finding, Severity, Tree
from errorkb.ledger import Cell, State, status
from errorkb.model import AFTER, BEFORE, ErrorRecord, Place, Slug
from errorkb.pattern import Template
from errorkb.plan import problems
from errorkb.scaffold import PLACEHOLDER


def executed_or_explained(tree: Tree) -> Iterator[Finding]:
    """Gate 7: every record is complete and all of it passed where the record says it runs."""
    standings = status(tree.library, tree.ledgers)
    for slug, record in tree.library.records.items():
        open_ends = list(_to_fill_in(tree, slug))
        yield from open_ends
        yield from _names(tree, slug, record)
        yield from _files(tree, slug, record)
        if not open_ends and not _missing(tree, slug):
            yield from _results(tree, slug, record, standings[slug].cells)
    yield from _left_over(tree)


def current(tree: Tree) -> Iterator[Finding]:
    """Gate 8: no result speaks of other content than the tree's."""
    for slug, standing in status(tree.library, tree.ledgers).items():
        stale: dict[str, list[Cell]] = {}
        surveys: set[str] = set()
        for cell in standing.cells:
            if cell.state is State.STALE and cell.survey:
                surveys.add(cell.environment)
            elif cell.state is State.STALE:
                stale.setdefault(cell.environment, []).append(cell)
        if surveys:
            yield tree.at_record(
                8,
                slug,
                "example",
                f"{tree.library.records[slug].code} changed since {_list(sorted(surveys))} ran it.",
                repair=f"make matrix ARGS='--family {slug.partition('/')[0]}'",
                severity=tree.for_release(),
            )
        for environment, cells in stale.items():
            gpu = cells[0].place is Place.GPU
            code = tree.library.records[slug].code
            yield tree.at_record(
                8,
                slug,
                "example",
                f"{code} changed since {environment} ran {_list(cell.item for cell in cells)}.",
                repair=f"errorkb verify {code} --device {cells[0].place} --write",
                severity=tree.for_release() if gpu else Severity.ERROR,
            )


def _to_fill_in(tree: Tree, slug: Slug) -> Iterator[Finding]:
    paths = [tree.library.record_path(slug)]
    folder = tree.library.layout.examples / slug
    paths += sorted(folder.glob("*.py")) if folder.is_dir() else []
    for path in paths:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if PLACEHOLDER in line:
                yield Finding(7, tree.shown(path), number, f"still to fill in: {line.strip()}")


def _names(tree: Tree, slug: Slug, record: ErrorRecord) -> Iterator[Finding]:
    for related in record.related:
        if related == slug:
            yield tree.at_record(7, slug, "related", "the record is related to itself.")
        elif related not in tree.library.records:
            renamed = tree.library.slug_of(related)
            hint = f"; it is now {renamed}" if renamed else ""
            yield tree.at_record(7, slug, "related", f"there is no record {related}{hint}.")
    captured = {
        name for message in record.messages for name in Template.parse(message.template).names
    }
    for rule in record.diagnosis:
        try:
            parse_rule(rule.say, rule.when, captured)
        except UsageError as error:
            yield tree.at_record(7, slug, "diagnosis", f"{error}.")


def _files(tree: Tree, slug: Slug, record: ErrorRecord) -> Iterator[Finding]:
    folder = tree.library.layout.examples / slug
    for item in _missing(tree, slug):
        name = tree.shown(folder / f"{item}.py")
        yield tree.at_record(7, slug, "triggers", f"{name}, a case of {record.code}, is missing.")
    if all((folder / f"{item}.py").is_file() for item in (BEFORE, AFTER)):
        yield from _difference(tree, slug)


def _difference(tree: Tree, slug: Slug) -> Iterator[Finding]:
    """The diff of before and after is shown as the fix: it must change code and keep the story."""
    trees: list[ast.Module] = []
    for item in (BEFORE, AFTER):
        try:
            trees.append(ast.parse(tree.library.example_text(slug, item) or ""))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return  # an example about syntax; running it says whether it is right
    before, after = trees
    where = tree.shown(tree.library.example_path(slug, AFTER))
    if ast.dump(before) == ast.dump(after):
        yield Finding(7, where, 1, "after.py is before.py: the example shows no fix.")
    elif ast.get_docstring(before) != ast.get_docstring(after):
        yield Finding(
            7,
            where,
            1,
            "before.py and after.py have different docstrings; only the fix may differ.",
        )


def _results(
    tree: Tree, slug: Slug, record: ErrorRecord, cells: tuple[Cell, ...]
) -> Iterator[Finding]:
    if record.example is None:
        return
    cells = tuple(cell for cell in cells if not cell.differs)
    waived = {(waiver.item, waiver.place) for waiver in record.example.waivers}
    ran = {cell.item for cell in cells if cell.state in (State.PASSED, State.STALE)}
    for place in record.example.requires:
        here = [cell for cell in cells if cell.place is place]
        never = []
        for item in tree.library.items(slug):
            states = {cell.state for cell in here if cell.item == item}
            if State.FAILED in states:
                reasons = (each.result.reason for each in here if each.item == item and each.result)
                yield tree.at_record(
                    7,
                    slug,
                    "example",
                    f"{item} fails in {place}: {next(filter(None, reasons), '')}",
                )
            elif not states & {State.PASSED, State.STALE} and (item, place) not in waived:
                never.append(item)
        # A GPU is not everywhere; what ran in another place is executed all the same.
        later = [item for item in never if place is Place.GPU and item in ran]
        for items, severity in (
            ([item for item in never if item not in later], Severity.ERROR),
            (later, tree.for_release()),
        ):
            if items:
                yield tree.at_record(
                    7,
                    slug,
                    "example",
                    f"no ledger shows {_list(items)} of {record.code} executed in {place}.",
                    repair=f"errorkb verify {record.code} --device {place} --write",
                    severity=severity,
                )


def _left_over(tree: Tree) -> Iterator[Finding]:
    """Files, folders and waivers that nothing uses."""
    for problem in problems(tree.library):
        path, _, sentence = problem.partition(": ")
        yield Finding(7, tree.shown(Path(path)), 1, f"{sentence}.")


def _missing(tree: Tree, slug: Slug) -> list[str]:
    return [
        item
        for item in tree.library.scripts(slug)
        if not tree.library.example_path(slug, item).is_file()
    ]


def _list(names: Iterable[str]) -> str:
    return ", ".join(names)
