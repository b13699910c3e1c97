"""Gate 5 fails on a page that depends on chance and on an old schema, gate 6 on a dead link."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from errorkb.cli import main
from errorkb.gates import Severity, Tree, run

if TYPE_CHECKING:
    from conftest import SmallLibrary

SCHEMA = "errorkb/record.schema.json"

BY_CHANCE = """
import errorkb.render.pages as pages

plan = pages.plan
pages.plan = lambda library: {
    **plan(library), "errors/chance.md": "".join({*"abcdefghij"}).encode()
}
"""


def test_the_same_input_renders_to_the_same_bytes(small: SmallLibrary) -> None:
    assert small.findings(5) == []


def test_a_page_that_depends_on_the_order_of_a_set(
    small: SmallLibrary, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sitecustomize.py").write_text(BY_CHANCE)
    paths = [str(tmp_path), os.environ.get("PYTHONPATH", "")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, paths)))
    (finding,) = small.findings(5)
    assert finding.path == "docs/errors/chance.md"
    assert "two renderings" in finding.message


@pytest.mark.parametrize("text", [None, "{}\n"])
def test_a_schema_that_is_not_the_model_s(small: SmallLibrary, text: str | None) -> None:
    small.path(SCHEMA).unlink()
    if text is not None:
        small.write(SCHEMA, text)
    (finding,) = small.findings(5)
    assert (finding.path, finding.repair) == (SCHEMA, "errorkb new --schema")
    assert main(["--root", str(small.root), *str(finding.repair).split()[1:]]) == 0
    assert small.findings(5) == []


def test_an_installed_package_has_nothing_to_render(small: SmallLibrary) -> None:
    library = small.load()
    installed = replace(library, layout=library.layout._replace(docs=None))
    small.path(SCHEMA).unlink()
    (finding,) = run(Tree(installed), [5])
    assert finding.severity is Severity.NOTICE


@pytest.mark.parametrize(
    ("link", "broken"),
    [
        ("other/", False),
        ("other/#there", False),
        ("nothing/", True),
        ("other/#nowhere", True),
    ],
)
def test_a_dead_link_or_anchor(
    small: SmallLibrary, tmp_path: Path, link: str, broken: bool
) -> None:
    site = tmp_path / "site"
    (site / "other").mkdir(parents=True)
    (site / "index.html").write_text(f'<!doctype html>\n<p>\n<a href="{link}">go</a>')
    (site / "other/index.html").write_text('<!doctype html>\n<p id="there">here')
    findings = small.findings(6, site=site)
    assert [(finding.line, link in finding.message) for finding in findings] == [(3, True)] * broken


def test_the_command_needs_the_site(
    small: SmallLibrary, capsys: pytest.CaptureFixture[str]
) -> None:
    root = ["--root", str(small.root)]
    assert main([*root, "check", "--gate", "6"]) == 2
    assert "add --site" in capsys.readouterr().err
    assert main([*root, "check", "--gate", "6", "--site", str(small.root / "nothing")]) == 2
    assert "build the site first" in capsys.readouterr().err
