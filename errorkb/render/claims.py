"""Published statements and the executed cases that contradict them.

The statements are data of the repository, `docs/what-execution-found.yaml`; what the cases did is
read from the ledgers, so the page cannot say more than was run.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import Field, StringConstraints, ValidationError

from errorkb.errors import UsageError
from errorkb.ledger import State
from errorkb.model import Item, Sentence, Slug, Strict
from errorkb.render.record_page import RecordPage
from errorkb.render.site import Site
from errorkb.render.views import Badge, Evidence, shortened
from errorkb.store import parse_yaml, read_text

CLAIMS = "what-execution-found.yaml"


class Case(Strict):
    """An executed item, and what it shows about the statement."""

    record: Slug
    item: Item
    shows: Sentence


class Claim(Strict):
    """One statement of a page, in our words, and what execution shows."""

    page: str
    """Key of the page in `pages`."""
    says: Sentence
    found: Sentence
    cases: Annotated[list[Case], Field(min_length=1)]
    source: Sentence | None = None
    """Where a part of `found` comes from that execution does not show."""


class Page(Strict):
    """A published page."""

    title: Sentence
    about: Sentence
    """Which entry it is, and what is right about it."""
    url: Annotated[str, StringConstraints(pattern=r"^https://[!-~]+$")] | None = None
    """The line that it describes, at its commit."""


class Claims(Strict):
    """The whole file."""

    pages: dict[str, Page]
    claims: Annotated[list[Claim], Field(min_length=1)]


@dataclass(frozen=True)
class CaseView:
    """A case with its record and its results."""

    case: Case
    page: RecordPage
    evidence: list[Evidence]

    @property
    def script(self) -> str | None:
        """The text of the item."""
        return self.page.script(self.case.item)

    @property
    def printed(self) -> str | None:
        """What it printed, in the first environment that has it."""
        printed = self.page.printed_by(self.case.item)
        return shortened(printed[0].text) if printed else None

    @property
    def badges(self) -> list[Badge]:
        """One badge per environment."""
        return [_badge(each) for each in self.evidence] or [Badge("not executed yet", "stale")]


@dataclass(frozen=True)
class ClaimView:
    """A claim as the template shows it."""

    claim: Claim
    cases: list[CaseView]


@dataclass(frozen=True)
class PageView:
    """A published page and its claims, in the order of the file."""

    key: str
    page: Page
    claims: list[ClaimView]


def read_claims(docs: Path, site: Site) -> list[PageView]:
    """Read the statements and find their cases.

    Raises:
        UsageError: the file is not what `Claims` describes, or a case does not exist.
    """
    path = docs / CLAIMS
    _, data = parse_yaml(read_text(path, within=docs), str(path))
    try:
        found = Claims.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise UsageError(f"{path}: {where}: {first['msg']}") from None
    for number, claim in enumerate(found.claims, start=1):
        if claim.page not in found.pages:
            raise UsageError(f"{path}: claim {number} names the page '{claim.page}', not in pages")
    views = [ClaimView(claim, list(_cases(claim, site, path))) for claim in found.claims]
    return [
        PageView(key, page, [view for view in views if view.claim.page == key])
        for key, page in found.pages.items()
    ]


def _cases(claim: Claim, site: Site, path: Path) -> Iterable[CaseView]:
    for case in claim.cases:
        page = site.by_slug.get(case.record)
        if page is None:
            raise UsageError(f"{path}: there is no record {case.record}; a claim needs its case")
        if case.item not in site.library.items(case.record):
            raise UsageError(f"{path}: {case.record} does not execute '{case.item}'")
        yield CaseView(case, page, page.of(case.item))


def _badge(each: Evidence) -> Badge:
    if each.state is State.PASSED:
        return Badge(f"executed on {each.label}, {each.date}", "ok")
    return Badge(f"{each.badge.text} on {each.label}", each.badge.tone)
