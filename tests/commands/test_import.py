"""errorkb import: where the description comes from, and what is printed about the draft."""

from __future__ import annotations

import io
import json
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from errorkb.cli import main

if TYPE_CHECKING:
    from conftest import Workshop

SEED = json.dumps({"errorMessage": "odd total {n}", "schemaVersion": 2, "repo": "org/engine"})


@pytest.fixture
def root(workshop: Workshop) -> list[str]:
    workshop.example()
    return ["--root", str(workshop.root)]


def test_a_file_becomes_a_draft(
    root: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "seed.json"
    file.write_text(SEED)
    assert main(["import", *root, str(file)]) == 0
    out = capsys.readouterr().out
    assert "engine/odd-total-n" in out
    assert "the types of the placeholders n" in out
    assert (tmp_path / "examples" / "engine" / "odd-total-n" / "before.py").is_file()
    assert main(["import", *root, str(file)]) == 2
    assert "is there already" in capsys.readouterr().err


def test_standard_input_and_json(
    root: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(SEED.encode())))
    assert main(["import", *root, "-", "--slug", "demo/imported", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["slug"] == "demo/imported"
    assert len(printed["paths"]) == 3
    assert printed["missing"]


@pytest.mark.parametrize(
    ("name", "sentence"),
    [("none.json", "cannot be read"), (".", "is a directory"), ("a\0b", "is not a file name")],
)
def test_what_cannot_be_read_is_said(
    root: list[str], tmp_path: Path, name: str, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["import", *root, str(tmp_path / name) if "\0" not in name else name]) == 2
    assert sentence in capsys.readouterr().err
