"""Gates 1 and 2: the raise sites of kda_kernels and the records agree, in place and in wording.

Stages: read every raise and assert of the package; each must have a code and a record that lists
it; each site that a record lists must be there; then the wording that the source prints must be
the wording that the record gives.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from errorkb.gates.finding import Finding, Severity, Tree
from errorkb.harvest import RaiseSite, harvest
from errorkb.model import ErrorRecord, Site, Slug
from errorkb.pattern import same_wording

PACKAGE = "kda_kernels"

Place = tuple[str, str, str]
"""Path, function and condition."""


def agree_in_place(tree: Tree) -> Iterator[Finding]:
    """Gate 1: every raise site has its record, and every recorded site is raised."""
    kernels = tree.library.layout.kernels
    if kernels is None:
        yield _no_source(1)
        return
    found = harvest(kernels / PACKAGE)
    for skipped in found.skipped:
        yield Finding(
            1, _source(tree, skipped.path), 1, f"{skipped.path} is not read: {skipped.reason}."
        )
    coded: dict[Slug, list[RaiseSite]] = {slug: [] for slug in tree.library.records}
    for site in found.sites:
        slug = tree.library.slug_of(site.code) if site.code else None
        if slug is None:
            yield _without_record(tree, site)
        else:
            coded[slug].append(site)
    for slug, record in tree.library.records.items():
        yield from _compare_places(tree, slug, record, coded[slug])


def agree_in_wording(tree: Tree) -> Iterator[Finding]:
    """Gate 2: the template derived from each raise site is the one its record gives."""
    kernels = tree.library.layout.kernels
    if kernels is None:
        yield _no_source(2)
        return
    derived: dict[Slug, list[RaiseSite]] = {}
    for site in harvest(kernels / PACKAGE).sites:
        slug = tree.library.slug_of(site.code) if site.code else None
        if slug is None:
            continue
        derived.setdefault(slug, []).append(site)
        yield from _compare_wording(tree, slug, site)
    for slug, record in tree.library.records.items():
        texts = [site.template for site in derived.get(slug, []) if site.template]
        for message in record.messages:
            if message.software != PACKAGE or record.withdrawn:
                continue
            if not any(same_wording(text, message.template) for text in texts):
                yield tree.at_record(
                    2, slug, "messages", f"no raise site of {PACKAGE} prints {message.template!r}."
                )


def _compare_places(
    tree: Tree, slug: Slug, record: ErrorRecord, raised: list[RaiseSite]
) -> Iterator[Finding]:
    if record.withdrawn:
        for site in raised:
            yield _at(
                tree, 1, site, f"{record.code} is withdrawn and still raised; give it a new code."
            )
        return
    recorded = {_recorded(site): site for site in record.sites if site.package == PACKAGE}
    actual = {(site.path, site.function, site.condition): site for site in raised}
    missing = [actual[place] for place in actual if place not in recorded]
    gone = [recorded[place] for place in recorded if place not in actual]
    for site in missing:
        was = f" The record has {_told(gone.pop(0))}." if gone else ""
        yield tree.at_record(
            1,
            slug,
            "sites",
            f"{site.path}:{site.line} raises {record.code} in {site.function} if {site.condition}, "
            f"and the record does not list that.{was}",
            repair=f"under sites:\n{_yaml(site)}",
        )
    for stale in gone:
        yield tree.at_record(
            1,
            slug,
            "sites",
            f"nothing raises {record.code} at {_told(stale)}.",
            repair="remove that site",
        )
    for site in raised:
        if site.exception.split(".")[-1] not in {name.split(".")[-1] for name in record.exceptions}:
            yield tree.at_record(
                1,
                slug,
                "exceptions",
                f"{site.path}:{site.line} raises {site.exception}; `exceptions` does not name it.",
                repair=f"under exceptions: - {PACKAGE}.errors.{site.exception}",
            )


def _compare_wording(tree: Tree, slug: Slug, site: RaiseSite) -> Iterator[Finding]:
    if site.template is None:
        yield _at(
            tree, 2, site, f"the message of {site.code} is not a literal; write it as an f-string."
        )
        return
    if re.search(r"\{arg\d+\}", site.template):
        yield _at(
            tree,
            2,
            site,
            f"the message of {site.code} formats an expression; assign it to a name first, "
            f"because a captured value needs one: {site.template!r}.",
        )
        return
    own = [
        each.template for each in tree.library.records[slug].messages if each.software == PACKAGE
    ]
    if any(same_wording(site.template, template) for template in own):
        return
    yield tree.at_record(
        2,
        slug,
        "messages",
        f"{site.path}:{site.line} prints {site.template!r}; "
        f"the record has {' and '.join(map(repr, own)) or 'no message'} of {PACKAGE}.",
        repair=f'template: "{_typed(site.template, own)}"',
    )


def _without_record(tree: Tree, site: RaiseSite) -> Finding:
    if site.code is None:
        what = "assert" if site.exception == "AssertionError" else f"raise {site.exception}"
        return _at(
            tree,
            1,
            site,
            f"`{what}` in {site.function} has no code; raise ContractError (or another CodedError) "
            "with the code of its record.",
        )
    return _at(
        tree,
        1,
        site,
        f"{site.code} has no record.",
        f"errorkb new FAMILY/NAME --code {site.code}",
    )


def _at(tree: Tree, gate: int, site: RaiseSite, message: str, repair: str | None = None) -> Finding:
    return Finding(gate, _source(tree, site.path), site.line, message, repair)


def _source(tree: Tree, path: str) -> str:
    kernels = tree.library.layout.kernels
    return path if kernels is None else tree.shown(kernels / path)


def _no_source(gate: int) -> Finding:
    return Finding(
        gate, PACKAGE, 1, "not checked: the kernel sources are not here.", severity=Severity.NOTICE
    )


def _recorded(site: Site) -> Place:
    return (site.path, site.function, site.condition)


def _told(site: Site) -> str:
    return f"{site.path} in {site.function} if {site.condition}"


def _yaml(site: RaiseSite) -> str:
    return (
        f"  - package: {PACKAGE}\n    path: {site.path}\n    function: {site.function}\n"
        f"    condition: {site.condition!r}"
    )


def _typed(derived: str, recorded: list[str]) -> str:
    """`derived` with the types that the recorded templates gave to the same names."""
    types = {
        match["name"]: match["type"]
        for template in recorded
        for match in re.finditer(r"\{(?P<name>\w+):(?P<type>\w+)\}", template)
    }
    return re.sub(
        r"(?<!\{)\{(\w+)\}(?!\})", lambda m: f"{{{m[1]}:{types.get(m[1], 'str')}}}", derived
    )
