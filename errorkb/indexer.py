"""Compile a library into the plain data of `errorkb.index`."""

from __future__ import annotations

import difflib
import marshal
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from errorkb.diagnosis import parse_expression, parse_rule
from errorkb.errors import UsageError
from errorkb.index import Index, module_name
from errorkb.layout import Layout
from errorkb.ledger import Cell, Standing, State, status
from errorkb.model import AFTER, BEFORE, Environment, ErrorRecord, Message, Site, Slug
from errorkb.pattern import Placeholder, Template
from errorkb.recipe import COMMANDS
from errorkb.store import Library, load
from errorkb.words import weight, words

KEYS = 4
"""How many of its rarest words find a wording."""

_TITLE, _WORDING, _PROSE = 8, 4, 1
"""How much a word counts in a search, by where it stands."""


def compile_layout(layout: Layout) -> dict[str, Any]:
    """Load and compile the library of a layout.

    Raises:
        UsageError: see `errorkb.store.load`; or a rule of a record does not parse.
    """
    return compile_library(load(layout))


def index_of(library: Library) -> Index:
    """The index of a library in memory, past the cache."""
    return Index(compile_library(library))


def compile_library(library: Library) -> dict[str, Any]:
    """Compile a loaded library.

    Raises:
        UsageError: a rule of a record does not parse, or an example cannot be read.
    """
    numbers = {slug: number for number, slug in enumerate(library.records)}
    ledgers = library.ledgers()
    standings = status(library, ledgers)
    environments = {ledger.environment.name: ledger.environment for ledger in ledgers}
    wordings = [
        (numbers[slug], *_wording(message))
        for slug, record in library.records.items()
        if record.withdrawn is None
        for message in _distinct(record.messages)
    ]
    postings: dict[str, tuple[int, ...]] = {}
    for number, row in enumerate(wordings):
        for word in dict.fromkeys(row[3]):
            postings[word] = (*postings.get(word, ()), number)
    return {
        "heads": [_head(slug, record) for slug, record in library.records.items()],
        "records": [
            marshal.dumps(_shown(library, slug, record, standings[slug], environments))
            for slug, record in library.records.items()
        ],
        "names": {
            **numbers,
            **{code: numbers[slug] for code, slug in library.by_code.items()},
            **{former: numbers[slug] for former, slug in library.redirects.items()},
        },
        "wordings": wordings,
        "postings": postings,
        "keys": _keys(wordings, postings),
        "frames": _frames(library, numbers),
        "prose": marshal.dumps(_prose(library, numbers)),
    }


def _head(
    slug: Slug, record: ErrorRecord
) -> tuple[str, str, str, str, tuple[str, ...], tuple[str, ...]]:
    packages = {message.software.split()[0] for message in record.messages}
    packages |= {site.package for site in record.sites}
    packages.add(slug.split("/")[0])  # a family is named after its package
    return (
        record.code,
        slug,
        record.title,
        record.kind.value,
        tuple(record.exceptions),
        tuple(sorted(package.lower().replace("-", "_") for package in packages)),
    )


def _distinct(messages: Iterable[Message]) -> list[Message]:
    """One message for each wording: versions that print the same text are one."""
    return list({(message.template, message.when): message for message in messages}.values())


def _wording(message: Message) -> tuple[Any, ...]:
    template = Template.parse(message.template)
    pieces = tuple(
        (piece.name, piece.type) if isinstance(piece, Placeholder) else piece
        for piece in template.pieces
    )
    when = None if message.when is None else parse_expression(message.when, template.names)
    return pieces, when, tuple(_literal_words(template)), message.software


def _literal_words(template: Template) -> list[str]:
    """The words of the literals, without those that a placeholder may lengthen (`fp{bits:int}`)."""
    found: list[str] = []
    last = len(template.pieces) - 1
    for position, piece in enumerate(template.pieces):
        if not isinstance(piece, str):
            continue
        text = piece
        if position > 0:
            text = text.lstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
        if position < last:
            text = text.rstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
        found += words(text)
    return found


def _keys(
    wordings: list[tuple[Any, ...]], postings: Mapping[str, tuple[int, ...]]
) -> dict[str, tuple[int, ...]]:
    keys: dict[str, tuple[int, ...]] = {}
    for number, row in enumerate(wordings):
        distinct = list(dict.fromkeys(row[3]))
        distinct.sort(key=lambda word: -weight(word, len(postings[word])))
        for word in distinct[:KEYS]:
            keys[word] = (*keys.get(word, ()), number)
    return keys


def _frames(library: Library, numbers: Mapping[Slug, int]) -> dict[str, tuple[int, ...]]:
    frames: dict[str, tuple[int, ...]] = {}
    for slug, record in library.records.items():
        for site in record.sites:
            key = f"{module_name(site.path)}\n{site.function.rpartition('.')[2]}"
            if numbers[slug] not in frames.get(key, ()):
                frames[key] = (*frames.get(key, ()), numbers[slug])
    return frames


def _prose(library: Library, numbers: Mapping[Slug, int]) -> dict[str, dict[int, int]]:
    """word → record → how much it counts there."""
    prose: dict[str, dict[int, int]] = {}
    for slug, record in library.records.items():
        counts: Counter[str] = Counter()
        for factor, texts in (
            (_TITLE, [record.title, slug, record.code, *record.tags, *record.exceptions]),
            (_WORDING, [message.template for message in record.messages]),
            (
                _PROSE,
                [
                    record.meaning,
                    *record.situations,
                    *record.prevention,
                    *(trigger.when for trigger in record.triggers),
                    *(text for fix in record.fixes for text in (fix.title, fix.detail or "")),
                ],
            ),
        ):
            for word in {word for text in texts for word in words(text)}:
                counts[word] += factor
        for word, count in counts.items():
            prose.setdefault(word, {})[numbers[slug]] = count
    return prose


def _shown(
    library: Library,
    slug: Slug,
    record: ErrorRecord,
    standing: Standing,
    environments: Mapping[str, Environment],
) -> dict[str, Any]:
    """What is printed of a record, as plain data."""
    return {
        "code": record.code,
        "slug": slug,
        "title": record.title,
        "kind": record.kind.value,
        "exceptions": list(record.exceptions),
        "messages": [
            (message.template, message.software, message.versions, message.origin)
            for message in record.messages
        ],
        "sites": [_site(site) for site in record.sites],
        "meaning": record.meaning,
        "triggers": [
            (trigger.when, trigger.case or "", trigger.not_reproduced or "")
            for trigger in record.triggers
        ],
        "situations": list(record.situations),
        "recipes": [
            (COMMANDS[recipe.tool].text(f"{recipe.script}.py"), recipe.shows)
            for recipe in record.recipes
        ],
        "fixes": [(fix.title, fix.when, fix.detail or "") for fix in record.fixes],
        "prevention": list(record.prevention),
        "rules": _rules(library, slug, record),
        "related": [
            (library.records[other].code, other, library.records[other].title)
            for other in record.related
            if other in library.records
        ],
        "diff": _diff(library, slug),
        "status": standing.status.value,
        "verified": _verified(standing, environments),
        "not_executed": record.not_executed or "",
        "withdrawn": record.withdrawn or "",
        "sources": [(source.fact, source.where) for source in record.sources],
    }


def _site(site: Site) -> tuple[str, str, str, int, str, str]:
    version = site.version or site.commit or ""
    return site.package, version, site.path, site.line or 0, site.function, site.condition


def _rules(library: Library, slug: Slug, record: ErrorRecord) -> list[Any]:
    """The rules of a record's diagnosis, which may use what its messages capture."""
    captured = {
        name for message in record.messages for name in Template.parse(message.template).names
    }
    try:
        return [parse_rule(rule.say, rule.when, captured) for rule in record.diagnosis]
    except UsageError as error:
        raise UsageError(f"{library.record_path(slug)}: diagnosis: {error}") from None


def _diff(library: Library, slug: Slug) -> list[str]:
    before = library.example_text(slug, BEFORE)
    after = library.example_text(slug, AFTER)
    if before is None or after is None:
        return []
    lines = difflib.unified_diff(
        before.splitlines(), after.splitlines(), "before.py", "after.py", lineterm="", n=2
    )
    return list(lines)


def _verified(
    standing: Standing, environments: Mapping[str, Environment]
) -> list[dict[str, str | int]]:
    """One entry for each environment that has something to say about the record."""
    rows: list[dict[str, str | int]] = []
    for name, cells in standing.by_environment().items():
        environment = environments[name]
        results = [cell.result for cell in cells if cell.result is not None]
        rows.append(
            {
                "environment": name,
                "place": environment.place.value,
                "gpu": environment.gpu or "",
                "triton": environment.triton or "",
                "torch": environment.torch or "",
                "date": max((r.date.date().isoformat() for r in results), default=""),
                "state": _state(cells),
                "passed": sum(cell.state is State.PASSED for cell in cells),
                "items": len(cells),
            }
        )
    return rows


def _state(cells: Iterable[Cell]) -> str:
    """The worst of the items' states, so that nothing looks better than it is."""
    states = {cell.state for cell in cells}
    for state in (State.FAILED, State.STALE, State.MISSING, State.PASSED):
        if state in states:
            return state.value
    return State.NOT_RUN.value
