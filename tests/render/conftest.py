"""Ledgers for the small library, and its pages as HTML."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Any

import markdown
import pytest
import yaml

from errorkb import ledger
from errorkb.fingerprint import fingerprint
from errorkb.model import Environment, Ledger, Outcome, Place, Result

if TYPE_CHECKING:
    from conftest import Workshop

DATE = datetime.datetime(2026, 1, 2, 3, 4, 5, 678000, tzinfo=datetime.UTC)
ROOT = Path(__file__).parents[2]


class Html(HTMLParser):
    """The tags, attributes and text of a piece of HTML."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attributes

    def handle_data(self, data: str) -> None:
        self.text += data


def _extensions() -> tuple[list[str], dict[str, dict[str, Any]]]:
    """The Markdown extensions that the site is built with."""

    class Loader(yaml.SafeLoader):
        pass

    Loader.add_multi_constructor("!", lambda *_: None)
    with (ROOT / "mkdocs.yml").open(encoding="utf-8") as file:
        listed = yaml.load(file, Loader)["markdown_extensions"]  # noqa: S506 - a SafeLoader
    names: list[str] = []
    options: dict[str, dict[str, Any]] = {}
    for each in listed:
        name, option = (each, {}) if isinstance(each, str) else next(iter(each.items()))
        names.append(name)
        options[name] = option
    return names, options


@pytest.fixture(scope="session")
def to_html() -> Callable[[str], Html]:
    """Markdown as the site's builder converts it, front matter aside."""
    names, options = _extensions()

    def convert(text: str) -> Html:
        if text.startswith("---\n"):
            text = text.split("\n---\n", 1)[1]
        return Html(markdown.markdown(text, extensions=names, extension_configs=options))

    return convert


@pytest.fixture
def executed(workshop: Workshop) -> Callable[..., None]:
    """Write a ledger; by default everything passed on a CPU and printed what it should."""

    def write(
        *,
        place: Place = Place.CPU,
        gpu: str | None = None,
        capability: str | None = None,
        outcomes: dict[str, Outcome] | None = None,
        message: str | None = "ValueError: expected an even total, got 7",
        max_error: float | None = 0.0,
        stale: bool = False,
        reason: str | None = None,
        name: str | None = None,
        only: str | None = None,
        survey: str | None = None,
    ) -> None:
        """`survey` is the release of Triton that the ledger is a survey of."""
        library = workshop.load()
        environment = Environment(
            name=name or f"test-{place}",
            place=place,
            gpu=gpu,
            compute_capability=capability,
            torch="2.13.0",
            triton=survey,
            python="3.11.7",
            platform="Linux",
            date=DATE,
            survey=survey is not None,
        )
        results = [
            Result(
                code=record.code,
                slug=slug,
                item=item,
                outcome=(outcomes or {}).get(item, Outcome.PASSED),
                reason=reason,
                message=None if item == "after" else message,
                max_error=max_error if item == "after" else None,
                seconds=0.1,
                hash="0" if stale else fingerprint(library, slug),
                date=DATE,
            )
            for slug, record in library.records.items()
            if only in (None, slug)
            for item in library.items(slug)
        ]
        ledger.write(Ledger(environment=environment, results=results), library.layout)

    return write
