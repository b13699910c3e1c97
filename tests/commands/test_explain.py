"""`errorkb explain` as a user sees it."""

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
    workshop.example(
        fixes=[
            {"title": "Pass an even total", "when": "Always."},
            {"title": "Drop the last one", "when": "It is padding.", "detail": "total -= 1"},
        ],
        prevention=["Count in pairs."],
        sources=[{"fact": "Totals are even.", "where": "https://demo.example/even"}],
        related=["demo/other"],
    )
    workshop.example("demo/other", code="EKB0002", title="Another record")
    return workshop.root


@pytest.mark.parametrize("name", ["EKB0001", "ekb0001", "demo/odd-total"])
def test_it_prints_the_whole_record(
    root: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    assert main(["--root", str(root), "explain", name]) == 0
    out = capsys.readouterr().out
    for part in (
        "EKB0001  An odd total  demo/odd-total",
        "expected an even total, got {total:int}",
        "The total is split into halves.",
        "The total is odd. [before.py]",
        "Fix: Pass an even total",
        "  +total = 8",
        "Fix: Drop the last one",
        "total -= 1",
        "Count in pairs.",
        "EKB0002  Another record",
        "Totals are even. (https://demo.example/even)",
    ):
        assert part in out
    assert out.count("Drop the last one") == 1


def test_json_holds_the_record(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--root", str(root), "explain", "EKB0001", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["code"], data["slug"], data["url"]) == (
        "EKB0001",
        "demo/odd-total",
        "e/EKB0001/",
    )


def test_an_unknown_code_names_the_nearest(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--root", str(root), "explain", "EKB0003"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert "no record 'EKB0003'; the nearest are" in err
    assert "EKB0001" in err
    assert err.count("\n") == 1
