"""`errorkb lookup` as a user sees it."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from errorkb.cli import main

if TYPE_CHECKING:
    from conftest import Workshop

PASTE = "Traceback (most recent call last):\nValueError: expected an even total, got 7\n"


@pytest.fixture
def root(workshop: Workshop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A library of one record."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    workshop.example(
        diagnosis=[{"say": "{total} is {total % 2} more than the next even number below."}]
    )
    return workshop.root


def give(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))


def test_it_prints_what_a_user_needs(
    root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    give(monkeypatch, PASTE.encode())
    assert main(["--root", str(root), "lookup"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    for part in (
        "EKB0001  An odd total  demo/odd-total",
        "line 2: ValueError: expected an even total, got 7",
        "total = 7",
        "7 is 1 more than the next even number below.",
        "Fix: Pass an even total",
        "  -total = 7",
        "  +total = 8",
        "Not verified yet",
        "errorkb explain EKB0001",
    ):
        assert part in out
    assert "\x1b" not in out


@pytest.mark.parametrize("name", ["-", "file"])
def test_it_reads_a_file_or_standard_input(
    root: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    name: str,
) -> None:
    give(monkeypatch, PASTE.encode())
    (tmp_path / "file").write_text(PASTE)
    monkeypatch.chdir(tmp_path)
    assert main(["--root", str(root), "lookup", name, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["matches"][0]["captures"] == {"total": 7}
    assert data["exceptions"] == [
        {"class": "ValueError", "message": "expected an even total, got 7", "line": 2}
    ]


@pytest.mark.parametrize(
    ("data", "verdict"),
    [
        ("ValueError: quite another thing", "none"),
        ("RuntimeError: Engine core initialization failed.", "needs-more"),
    ],
)
def test_what_is_not_found_is_exit_code_1(
    root: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    data: str,
    verdict: str,
) -> None:
    give(monkeypatch, data.encode())
    assert main(["--root", str(root), "lookup", "--json"]) == 1
    answer = json.loads(capsys.readouterr().out)
    assert (answer["verdict"], answer["matches"]) == (verdict, [])
    give(monkeypatch, data.encode())
    assert main(["--root", str(root), "lookup"]) == 1
    assert answer["advice"][:30] in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("absent", "cannot be read: No such file"),
        (".", "is a directory"),
        ("binary", "is binary data"),
        ("empty", "is empty"),
        ("a\0b", "is not a file name"),
        ("", "'' is not a file name"),
        ("codes", "holds no text"),
    ],
)
def test_what_cannot_be_read_is_one_sentence(
    root: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    says: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "binary").write_bytes(os.urandom(5000))
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "codes").write_bytes(b"\x1b[31m\x1b[0m")
    assert main(["--root", str(root), "lookup", name]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert says in err
    assert err.startswith("errorkb: ")
    assert err.count("\n") == 1


def test_on_a_terminal_without_a_file_it_says_how(
    root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    give(monkeypatch, b"")
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    assert main(["--root", str(root), "lookup"]) == 2
    assert "2>&1 | errorkb lookup" in capsys.readouterr().err


def test_what_a_paste_holds_cannot_steer_the_terminal(
    workshop: Workshop,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    message = {"template": "bad file {name:str} found", "software": "demo"}
    workshop.example(messages=[{**message, "versions": "*", "origin": "executed"}])
    give(monkeypatch, "ValueError: bad file \x1b]0;owned\x07\x9b2J\u202e found".encode())
    assert main(["--root", str(workshop.root), "lookup"]) == 0
    out = capsys.readouterr().out
    assert not {"\x1b", "\x07", "\x9b", "\u202e"} & set(out)


def test_json_is_printed_whatever_a_paste_holds(
    root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half of a surrogate pair, from an escape in a JSON log, has no bytes in any encoding."""
    give(monkeypatch, b'{"msg": "ValueError: \\ud800 is odd"}')
    assert main(["--root", str(root), "lookup", "--json"]) == 1
    answer = json.loads(capsys.readouterr().out)
    assert answer["exceptions"][0]["message"] == "\ud800 is odd"
