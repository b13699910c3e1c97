"""Every file that the renderer owns, from the views of a library and the templates."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import PurePosixPath

import jinja2
from markupsafe import Markup

from errorkb import api
from errorkb.render import limits_page, text
from errorkb.render.claims import CLAIMS, read_claims
from errorkb.render.site import Site
from errorkb.render.views import ORIGINS
from errorkb.store import Library

_NOT_ANCHOR = re.compile(r"[^a-z0-9]+")


def plan(library: Library) -> dict[str, bytes]:
    """Path below docs/ → content, for everything that `errorkb render` writes.

    Raises:
        UsageError: an example, a ledger or the claims cannot be read, or a claim names a case that
            does not exist.
    """
    site = Site(library)
    render = _Renderer(site)
    files: dict[str, str] = {
        "index.md": render("home.md.j2"),
        "errors/index.md": render("errors_index.md.j2"),
        "by-exception/index.md": render("by_exception.md.j2"),
        "by-kind/index.md": render("by_kind.md.j2"),
        "verification/index.md": render("verification.md.j2"),
        "gpu-limits/index.md": render("gpu_limits.md.j2", **limits_page.values(site)),
    }
    for family, pages in site.families.items():
        files[f"errors/{family}/index.md"] = render("family.md.j2", family=family, pages=pages)
    for page in site.pages:
        files[f"errors/{page.slug}.md"] = render("record.md.j2", page=page)
        address = f"errors/{page.slug}/"
        files[f"e/{page.code}/index.html"] = _stub(render, f"e/{page.code}", address, page.code)
        for former in page.record.redirects_from:
            old = f"errors/{former}"
            files[f"{old}/index.html"] = _stub(render, old, address, page.code)
    files |= api.files(site)
    docs = library.layout.docs
    if docs is not None and (docs / CLAIMS).exists():
        claims = read_claims(docs, site)
        files["what-execution-found.md"] = render("what_execution_found.md.j2", claims=claims)
    return {name: content.encode() for name, content in sorted(files.items())}


class _Renderer:
    """The templates, with the filters that make text safe."""

    def __init__(self, site: Site) -> None:
        self._environment = jinja2.Environment(
            loader=jinja2.PackageLoader("errorkb", "templates"),
            autoescape=True,
            undefined=jinja2.StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
        )
        marked: dict[str, Callable[[str], str]] = {
            "entities": text.entities,
            "prose": text.prose,
            "template": text.template_html,
            "code": text.clean,
            "fence": text.fence_for,
            "anchor": anchor,
        }
        for name, function in marked.items():
            self._environment.filters[name] = _marking(function)
        self._environment.filters["bare"] = text.template_text
        self._environment.filters["versions"] = lambda each: "any version" if each == "*" else each
        self._environment.filters["origin"] = ORIGINS.__getitem__
        self._environment.globals["site"] = site
        self._environment.globals["limits_tag"] = limits_page.TAG

    def __call__(self, name: str, **values: object) -> str:
        return self._environment.get_template(name).render(values).rstrip() + "\n"


def _marking(function: Callable[[str], str]) -> Callable[[object], Markup]:
    """A filter whose result is not escaped again: `function` has made it safe where it stands."""
    return lambda value: Markup(function(str(value)))  # noqa: S704  (see the docstring)


def _stub(render: _Renderer, at: str, target: str, title: str) -> str:
    """A page at the folder `at` that leads to `target`, by an address that works below any base."""
    up = "../" * len(PurePosixPath(at).parts)
    return render("stub.html.j2", target=text.url_path(up + target), title=title)


def anchor(name: str) -> str:
    """An identifier for a heading, from a dotted name."""
    return _NOT_ANCHOR.sub("-", name.lower()).strip("-")
