"""Every link, anchor and redirect of a built site resolves inside that site.

The builder checks Markdown links only; most of our pages' links are raw HTML, and redirects, the
search index and the JSON index are not seen by it at all. Names are compared letter by letter, also
on file systems that would not. Addresses of other hosts are not fetched.
"""

from __future__ import annotations

import json
import os
import posixpath
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from errorkb.errors import UsageError

_REFERENCES = {
    "href": {"a", "area", "link", "use", "image"},
    "src": {"img", "script", "iframe", "source", "audio", "video", "embed", "track", "input"},
    "poster": {"video"},
    "data": {"object"},
    "action": {"form"},
    "srcset": {"img", "source"},
}
_ALWAYS_THERE = {"", "top"}
"""Fragments that every page has."""
_ELSEWHERE = {"http", "https", "mailto", "data", "javascript", "tel"}
_SEARCH = "search/search_index.json"
_INDEX = "api/index.json"


@dataclass(frozen=True, order=True)
class Broken:
    """One reference that leads nowhere."""

    page: str
    """The file that holds it, below the site."""
    line: int
    target: str
    """The reference as it is written."""
    reason: str

    @property
    def message(self) -> str:
        """One sentence."""
        return f"{self.target!r} leads nowhere: {self.reason}."


def check_links(site: Path) -> list[Broken]:
    """Check every page, the search index and the JSON index of the built site in the folder `site`.

    Raises:
        UsageError: `site` is not a folder with an index.html.
    """
    if not (site / "index.html").is_file():
        raise UsageError(f"{site} is not a built site: it has no index.html; run mkdocs build")
    return sorted(_Checker(site).broken())


@dataclass(frozen=True)
class _Reference:
    line: int
    target: str


class _Page(HTMLParser):
    """The anchors of a page and what it refers to."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.anchors: set[str] = set()
        self.references: list[_Reference] = []
        self.canonical: str | None = None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        named = {name: value for name, value in attributes if value is not None}
        self.anchors |= {named[name] for name in ("id", "name") if name in named}
        for name, value in named.items():
            if tag in _REFERENCES.get(name.removeprefix("xlink:"), ()):
                self._refer(value, several=name == "srcset")
        if tag == "link" and named.get("rel") == "canonical":
            self.canonical = named.get("href")
        if tag == "meta" and named.get("http-equiv", "").lower() == "refresh":
            _, _, target = named.get("content", "").partition("url=")
            self._refer(target.strip(" '\""))

    def _refer(self, value: str, *, several: bool = False) -> None:
        line = self.getpos()[0]
        targets = [each.split()[0] for each in value.split(",")] if several else [value.strip()]
        self.references += [_Reference(line, target) for target in targets]


class _Checker:
    def __init__(self, site: Path) -> None:
        self._site = site
        self._pages: dict[str, _Page] = {}
        # 404.html is shown at any address, so it refers to the path under which the site is served.
        canonical = self._page("index.html").canonical
        self._base = urlsplit(canonical).path if canonical else "/"

    @cached_property
    def _files(self) -> frozenset[str]:
        """Every file as it is spelled on disk, with forward slashes."""
        found = []
        for folder, _, names in os.walk(self._site):
            below = Path(folder).relative_to(self._site).as_posix()
            found += [posixpath.normpath(posixpath.join(below, name)) for name in names]
        return frozenset(found)

    def broken(self) -> Iterator[Broken]:
        for name in sorted(self._files):
            if name.endswith(".html"):
                for each in self._page(name).references:
                    reason = self._reason(name, each.target)
                    if reason:
                        yield Broken(name, each.line, each.target, reason)
        for name, targets in ((_SEARCH, self._search_targets()), (_INDEX, self._index_targets())):
            for target in targets:
                reason = self._reason("index.html", target)
                if reason:
                    yield Broken(name, 1, target, reason)

    def _page(self, name: str) -> _Page:
        if name not in self._pages:
            text = (self._site / name).read_text(encoding="utf-8", errors="replace")
            self._pages[name] = _Page(text)
        return self._pages[name]

    def _reason(self, page: str, target: str) -> str | None:
        """Why `target`, written on `page`, leads nowhere; None where it leads somewhere."""
        try:
            parts = urlsplit(target)
        except ValueError:
            return "it is not an address"
        if parts.scheme or parts.netloc:
            known = parts.scheme in _ELSEWHERE or not parts.scheme
            return None if known else f"'{parts.scheme}:' is not a scheme that a page should use"
        name = self._resolve(page, unquote(parts.path))
        if name is None:
            return "there is no such file"
        fragment = unquote(parts.fragment)
        named = fragment not in _ALWAYS_THERE and name.endswith(".html")
        missing = named and fragment not in self._page(name).anchors
        return f"{name} has no anchor '{fragment}'" if missing else None

    def _resolve(self, page: str, path: str) -> str | None:
        """The file that a path names; None where there is none."""
        if not path:
            return page
        if path.startswith("/"):
            if not path.startswith(self._base):
                return None
            joined = path[len(self._base) :]
        else:
            joined = posixpath.join(posixpath.dirname(page), path)
        name = posixpath.normpath(joined) if joined else "."
        if name in self._files and not path.endswith("/"):
            return name
        index = posixpath.normpath(posixpath.join(name, "index.html"))
        return index if index in self._files else None

    def _search_targets(self) -> list[str]:
        return [each["location"] for each in self._json(_SEARCH, "docs")]

    def _index_targets(self) -> list[str]:
        addresses = ("url", "json", "json_v2")
        return [each[name] for each in self._json(_INDEX, "records") for name in addresses]

    def _json(self, name: str, key: str) -> list[dict[str, str]]:
        """The entries of a JSON file of the site; none where the site has no such file."""
        if name not in self._files:
            return []
        try:
            entries: list[dict[str, str]] = json.loads((self._site / name).read_bytes())[key]
        except (ValueError, KeyError, TypeError):
            raise UsageError(f"{self._site / name} is not what the renderer writes") from None
        return entries
