"""Whatever is wrong with the input: one sentence on stderr, exit code 2, and nothing written."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from errorkb.cli import main
from errorkb.layout import Layout
from errorkb.model import Kind
from errorkb.scaffold import new_record

READERS = (["list"], ["check", "--gate", "7"], ["lookup", "paste.txt"], ["search", "size"])
"""One call of each command that reads every record."""


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A library of one record, in the current directory, with a paste beside it."""
    library = tmp_path / "library"
    for folder in ("errorkb/records", "examples", "docs"):
        (library / folder).mkdir(parents=True)
    new_record(Layout.at(library), "demo/one", kind=Kind.RAISES, code="EKB0001")
    (library / "paste.txt").write_text("ValueError: size 9 is more than 8\n")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(library)
    return library


def tree(root: Path) -> dict[str, bytes]:
    """Every file below `root` with its content."""
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file() and not path.is_symlink()
    }


def refused(root: Path, capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 2) -> str:
    """The sentence with which a call is refused."""
    before = tree(root)
    assert main(["--root", str(root), *arguments]) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("errorkb: ")
    assert err.count("\n") == 1
    assert "Traceback" not in err
    assert tree(root) == before
    return err


def record(root: Path) -> Path:
    return root / "errorkb/records/demo/one.yaml"


def replaced(old: str, new: str) -> Callable[[Path], None]:
    def change(root: Path) -> None:
        text = record(root).read_text()
        assert old in text
        record(root).write_text(text.replace(old, new, 1))

    return change


def content(data: bytes) -> Callable[[Path], None]:
    def change(root: Path) -> None:
        record(root).write_bytes(data)

    return change


def link_out(root: Path) -> None:
    outside = root.parent / "outside.yaml"
    shutil.move(record(root), outside)
    record(root).symlink_to(outside)


def directory(root: Path) -> None:
    record(root).unlink()
    record(root).mkdir()


def nothing(root: Path) -> None:
    shutil.rmtree(root / "errorkb/records/demo")


def twin(root: Path) -> None:
    shutil.copy(record(root), record(root).with_name("two.yaml"))


BROKEN: dict[str, tuple[Callable[[Path], None], str]] = {
    "malformed YAML": (replaced("code: EKB0001", "code: [EKB0001"), "one.yaml:"),
    "unknown key": (replaced("severity:", "sevrity: error\nseverity:"), "sevrity: unknown key"),
    "key given twice": (replaced("severity:", "severity: error\nseverity:"), "given twice"),
    "unclosed brace": (replaced("{n:int}", "{n:int"), "one.yaml:"),
    "unknown type": (replaced("{n:int}", "{n:integer}"), "integer"),
    "bad code": (replaced("EKB0001", "EKB1"), "code"),
    "binary junk": (content(b"\xff\x00\xfe" * 99), "UTF-8"),
    "huge file": (content(b"#" * 300_000), "larger than"),
    "link out of the tree": (link_out, "link out of"),
    "a directory instead of a file": (directory, "is a directory"),
    "no records at all": (nothing, "no records"),
    "a code given twice": (twin, "EKB0001 already belongs to demo/one"),
    "an empty file": (content(b""), "is empty"),
}


@pytest.mark.parametrize("command", READERS, ids=lambda command: command[0])
@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_library_is_one_sentence(
    root: Path, capsys: pytest.CaptureFixture[str], what: str, command: list[str]
) -> None:
    change, complaint = BROKEN[what]
    change(root)
    assert complaint in refused(root, capsys, *command)


@pytest.mark.parametrize("command", ["explain", "verify"])
def test_an_unknown_code(root: Path, capsys: pytest.CaptureFixture[str], command: str) -> None:
    # Asking for what is not there is "not found" to explain; to verify it is a wrong argument.
    code = 1 if command == "explain" else 2
    assert "EKB9999" in refused(root, capsys, command, "EKB9999", code=code)


def test_a_directory_is_no_paste(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "directory" in refused(root, capsys, "lookup", "docs")


def test_a_missing_file_is_no_paste(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "nothing.txt" in refused(root, capsys, "lookup", "nothing.txt")


def test_a_missing_example_is_named(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (root / "examples/demo/one/after.py").unlink()
    assert main(["--root", str(root), "check", "--gate", "7"]) == 1
    assert "examples/demo/one/after.py, a case of EKB0001, is missing" in capsys.readouterr().out


@pytest.mark.parametrize(
    "text",
    ["x = " + "-" * 50_000 + "1\n", "x = " + "1 + " * 50_000 + "1\n", "def ("],
    ids=["signs", "sum", "cut"],
)
@pytest.mark.parametrize("command", [["list"], ["check", "--gate", "7"], ["verify", "--json"]])
def test_a_script_that_python_cannot_parse_is_a_finding_at_most(
    root: Path, capsys: pytest.CaptureFixture[str], text: str, command: list[str]
) -> None:
    text_of_record = re.sub(r"requires: \[.*\]", "requires: [cpu]", record(root).read_text())
    record(root).write_text(text_of_record)
    for name in ("before", "after"):
        (root / f"examples/demo/one/{name}.py").write_text(text)
    assert main(["--root", str(root), *command]) in (0, 1)
    assert "Traceback" not in capsys.readouterr().err


def test_no_gpu_where_one_is_required(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    torch = pytest.importorskip("torch")
    if torch.cuda.is_available():
        pytest.skip("this machine has a GPU")
    assert "GPU" in refused(root, capsys, "verify", "--device", "gpu")


def test_a_huge_paste_of_junk_is_answered(root: Path) -> None:
    """100 MB without a line end, then 100 MB of lines: an answer, in bounded memory and time."""
    for block in (os.urandom(1 << 20), b"step 1: loss 0.5 \x00\n" * (1 << 16)):
        process = subprocess.Popen(  # noqa: S603 - our own program
            [sys.executable, "-m", "errorkb", "--root", str(root), "lookup", "-"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert process.stdin is not None
        try:
            for _ in range(100):
                process.stdin.write(block)
        except BrokenPipeError:
            pass  # it has read as much as it takes
        _, err = process.communicate(timeout=60)
        assert process.returncode in (1, 2)
        assert b"Traceback" not in err
