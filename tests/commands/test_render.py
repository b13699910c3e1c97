"""errorkb render: writes, checks, removes, and says in one sentence what is wrong."""

from __future__ import annotations

import json
import shutil
import sys
from typing import TYPE_CHECKING

import pytest

from errorkb.cli import main

if TYPE_CHECKING:
    from conftest import Workshop


def test_render_then_check_then_a_record_goes(
    workshop: Workshop, capsys: pytest.CaptureFixture[str]
) -> None:
    workshop.example()
    workshop.example("demo/other", code="EKB0002")
    root = ["--root", str(workshop.root)]
    assert main(["render", "--check", *root]) == 1
    assert "errors/demo/odd-total.md: missing" in capsys.readouterr().out
    assert not (workshop.root / "docs").exists()
    assert main(["render", *root]) == 0
    assert main(["render", "--check", *root]) == 0
    (workshop.root / "errorkb" / "records" / "demo" / "other.yaml").unlink()
    assert main(["render", "--check", *root]) == 1
    captured = capsys.readouterr()
    assert "errors/demo/other.md: its record is gone" in captured.out
    assert "repair: errorkb render" in captured.err
    assert main(["render", *root]) == 0
    assert not (workshop.root / "docs" / "e" / "EKB0002").exists()
    assert (workshop.root / "docs" / "e" / "EKB0001" / "index.html").is_file()


def test_an_installed_package_says_what_to_run(
    workshop: Workshop, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    workshop.example()
    package = workshop.root / "errorkb"
    (package / "_examples").mkdir()
    monkeypatch.setattr("errorkb.places._PACKAGE", str(package))
    assert main(["render"]) == 2
    assert "checkout; give its folder as --root DIR" in capsys.readouterr().err
    assert not (workshop.root / "docs").exists()


def test_a_bad_library_writes_nothing(
    workshop: Workshop, capsys: pytest.CaptureFixture[str]
) -> None:
    workshop.example()
    docs = workshop.root / "docs"
    docs.mkdir()
    (docs / "what-execution-found.yaml").write_text("pages: [")
    assert main(["render", "--root", str(workshop.root)]) == 2
    assert "not valid YAML" in capsys.readouterr().err
    assert [path.name for path in docs.iterdir()] == ["what-execution-found.yaml"]


def test_the_search_index_is_extended(
    workshop: Workshop, capsys: pytest.CaptureFixture[str]
) -> None:
    workshop.example()
    site = workshop.root / "site"
    (site / "search").mkdir(parents=True)
    index = site / "search" / "search_index.json"
    index.write_text('{"docs": []}')
    arguments = ["render", "--root", str(workshop.root), "--search-index", str(site)]
    assert main(arguments) == 0
    assert len(json.loads(index.read_text())["docs"]) == 1
    shutil.rmtree(site)
    assert main(arguments) == 2
    assert "build the site first" in capsys.readouterr().err


def test_without_jinja_it_says_what_installs_it(
    workshop: Workshop, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    workshop.example()
    monkeypatch.delitem(sys.modules, "errorkb.render.pages", raising=False)
    monkeypatch.setitem(sys.modules, "jinja2", None)
    assert main(["render", "--root", str(workshop.root)]) == 2
    assert capsys.readouterr().err == (
        "errorkb: rendering needs jinja2, which is not installed here: "
        "make site installs all that it needs\n"
    )
    assert not (workshop.root / "docs").exists()
