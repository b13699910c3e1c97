"""output: docs/ is brought to the plan, nothing else is touched, and links are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from errorkb.errors import UsageError
from errorkb.render import output

FILES = {"index.md": b"home", "errors/a/b.md": b"page", "e/EKB0001/index.html": b"stub"}


def tree(docs: Path) -> dict[str, bytes]:
    return {
        path.relative_to(docs).as_posix(): path.read_bytes()
        for path in docs.rglob("*")
        if path.is_file()
    }


def test_write_then_nothing_differs(tmp_path: Path) -> None:
    assert output.write(FILES, tmp_path) == (3, 0)
    assert tree(tmp_path) == FILES
    assert output.differences(FILES, tmp_path) == []
    assert output.write(FILES, tmp_path) == (0, 0)


def test_unchanged_files_are_not_written_again(tmp_path: Path) -> None:
    output.write(FILES, tmp_path)
    before = (tmp_path / "index.md").stat()
    output.write(FILES | {"errors/a/b.md": b"new"}, tmp_path)
    after = (tmp_path / "index.md").stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_what_is_gone_is_removed_with_its_folders(tmp_path: Path) -> None:
    output.write(FILES, tmp_path)
    assert output.differences({"index.md": b"home"}, tmp_path) == [
        "e/EKB0001/index.html: its record is gone",
        "errors/a/b.md: its record is gone",
    ]
    assert output.write({"index.md": b"home"}, tmp_path) == (0, 2)
    assert list(tmp_path.iterdir()) == [tmp_path / "index.md"]


def test_hand_written_pages_stay(tmp_path: Path) -> None:
    (tmp_path / "guide").mkdir()
    (tmp_path / "guide" / "own.md").write_text("mine")
    (tmp_path / "lookup.md").write_text("mine")
    output.write(FILES, tmp_path)
    output.write({}, tmp_path)
    assert tree(tmp_path) == {"guide/own.md": b"mine", "lookup.md": b"mine", "index.md": b"home"}


def test_differences_name_each_file(tmp_path: Path) -> None:
    output.write(FILES, tmp_path)
    (tmp_path / "index.md").write_text("edited")
    (tmp_path / "errors" / "a" / "b.md").unlink()
    assert output.differences(FILES, tmp_path) == ["errors/a/b.md: missing", "index.md: differs"]


def test_a_link_out_of_docs_is_refused(tmp_path: Path) -> None:
    docs, elsewhere = tmp_path / "docs", tmp_path / "elsewhere"
    docs.mkdir()
    elsewhere.mkdir()
    (elsewhere / "keep.md").write_text("mine")
    (docs / "errors").symlink_to(elsewhere)
    with pytest.raises(UsageError, match="is a link"):
        output.write(FILES, docs)
    assert tree(elsewhere) == {"keep.md": b"mine"}


def test_a_link_deeper_down_is_refused(tmp_path: Path) -> None:
    docs, elsewhere = tmp_path / "docs", tmp_path / "elsewhere"
    (docs / "errors").mkdir(parents=True)
    elsewhere.mkdir()
    (docs / "errors" / "a").symlink_to(elsewhere)
    with pytest.raises(UsageError, match="is not a folder"):
        output.write(FILES, docs)
    assert tree(elsewhere) == {}


def test_a_failed_write_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "index.md"
    path.write_bytes(b"old")

    def refuse(self: Path, target: Path) -> Path:
        raise OSError("disk full")

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(OSError, match="disk full"):
        output.replace(path, b"new")
    assert tree(tmp_path) == {"index.md": b"old"}
