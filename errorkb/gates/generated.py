"""Gates 5 and 6: what is generated is reproducible, and what is built has no dead link.

Stages of gate 5: render twice, in processes with another hash seed and time zone, and
compare the content of every file; then compare the schema with that of the model.
Gate 6 reads a built site, because the builder does not check links in raw HTML.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from errorkb.errors import UsageError
from errorkb.gates.finding import Finding, Severity, Tree
from errorkb.layout import Layout
from errorkb.linkcheck import check_links
from errorkb.scaffold import SCHEMA, schema_text
from errorkb.store import load


def reproducible(tree: Tree) -> Iterator[Finding]:
    """Gate 5: the same input renders to the same bytes, and the schema is that of the model."""
    if tree.library.layout.docs is None:
        yield _not_checked("an installed package has no pages and no schema")
        return
    schema = tree.root / SCHEMA
    if not schema.is_file() or schema.read_text(encoding="utf-8") != schema_text():
        yield Finding(5, SCHEMA, 1, "it is not the schema of the model.", "errorkb new --schema")
    if find_spec("jinja2") is None:
        yield _not_checked("rendering needs the extra errorkb[docs]")
        return
    first = _digests(tree.root, seed="1", zone="UTC")
    second = _digests(tree.root, seed="2", zone="Pacific/Kiritimati")
    for name in sorted(first.keys() | second.keys()):
        if first.get(name) != second.get(name):
            yield Finding(
                5,
                f"docs/{name}",
                1,
                "two renderings of the same records and ledgers differ; sort what its template "
                "loops over, and take dates from the ledger.",
            )


def _not_checked(reason: str) -> Finding:
    return Finding(5, "docs", 1, f"not checked: {reason}.", severity=Severity.NOTICE)


def links_resolve(tree: Tree) -> Iterator[Finding]:
    """Gate 6: links, anchors and redirects of the built site resolve."""
    if tree.site is None:
        return
    for broken in check_links(tree.site):
        yield Finding(6, tree.shown(tree.site / broken.page), broken.line, broken.message)


def _digests(root: Path, *, seed: str, zone: str) -> dict[str, str]:
    """The digest of every rendered file, from a process of its own."""
    done = subprocess.run(  # noqa: S603 - this module, in the running interpreter
        [sys.executable, "-m", "errorkb.gates.generated", str(root)],
        capture_output=True,
        check=False,
        text=True,
        env={**os.environ, "PYTHONHASHSEED": seed, "TZ": zone},
    )
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or ["no output"])[-1]
        raise UsageError(f"the site cannot be rendered: {last}")
    digests: dict[str, str] = json.loads(done.stdout)
    return digests


def _print_digests(root: Path) -> None:
    from errorkb.render.pages import plan

    files = plan(load(Layout.at(root)))
    print(json.dumps({name: hashlib.sha256(data).hexdigest() for name, data in files.items()}))


if __name__ == "__main__":
    _print_digests(Path(sys.argv[1]))
