"""`errorkb search` as a user sees it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from errorkb.cli import main

if TYPE_CHECKING:
    from conftest import Workshop


@pytest.fixture
def root(workshop: Workshop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    workshop.example("demo/ring", code="EKB0001", title="A ring is too short")
    workshop.example(
        "demo/pool", code="EKB0002", title="A pool has no slots", meaning="Ring or not."
    )
    workshop.example("demo/gate", code="EKB0003", title="A gate overflows", tags=["overflow"])
    return workshop.root


def found(root: Path, capsys: pytest.CaptureFixture[str], *words: str) -> list[str]:
    code = main(["--root", str(root), "search", *words, "--json"])
    rows = json.loads(capsys.readouterr().out)
    assert code == (0 if rows else 1)
    return [row["slug"] for row in rows]


def test_a_title_counts_more_than_prose(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert found(root, capsys, "ring") == ["demo/ring", "demo/pool"]


def test_all_words_count_more_than_some(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert found(root, capsys, "ring", "slots")[0] == "demo/pool"


@pytest.mark.parametrize("words", [["overfl"], ["GATE"], ["EKB0003"], ["demo/gate"]])
def test_beginnings_case_codes_and_slugs(
    root: Path, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    assert found(root, capsys, *words) == ["demo/gate"]


def test_the_number_of_records_is_limited(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert len(found(root, capsys, "total")) == 3
    assert len(found(root, capsys, "total", "--limit", "2")) == 2
    assert main(["--root", str(root), "search", "ring", "--limit", "0"]) == 2


def test_nothing_found_is_said(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--root", str(root), "search", "xylophone"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err == "errorkb: no record holds any of: xylophone.\n"


def test_lines_name_code_title_and_slug(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--root", str(root), "search", "gate"]) == 0
    assert capsys.readouterr().out == "EKB0003  A gate overflows  demo/gate (raises)\n"


@pytest.mark.parametrize("text", ["", "7", "--"])
def test_what_holds_no_word_is_bad_input(
    root: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    assert main(["--root", str(root), "search", "--", text]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert "holds no word" in err


def test_a_long_question_is_repeated_in_short(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--root", str(root), "search", "x" * 100_000]) == 1
    assert len(capsys.readouterr().err) < 300
