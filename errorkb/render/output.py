"""Bring a docs folder to a planned state, without ever leaving half a file."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from errorkb.errors import UsageError

OWNED = ("errors", "api", "e", "by-exception", "by-kind", "gpu-limits", "verification")
"""Folders of docs/ that belong to the renderer: what is not planned there is removed."""


def write(files: Mapping[str, bytes], docs: Path) -> tuple[int, int]:
    """Write what differs and remove what is gone; returns how many of each.

    Args:
        files: path below `docs`, with forward slashes, to content.
        docs: the folder; it is made where it is missing.

    Raises:
        UsageError: `docs` or something in it is a link, or a file stands where a folder must be.
    """
    changed, gone = _compare(files, docs)
    for name in gone:
        (docs / name).unlink()
    for name in changed:
        replace(docs / name, files[name])
    for folder in OWNED:
        _prune(docs / folder)
    return len(changed), len(gone)


def differences(files: Mapping[str, bytes], docs: Path) -> list[str]:
    """One line for each file that `write` would write or remove.

    Raises:
        UsageError: as `write`.
    """
    changed, gone = _compare(files, docs)
    lines = [f"{name}: {'differs' if (docs / name).exists() else 'missing'}" for name in changed]
    return lines + [f"{name}: its record is gone" for name in gone]


def _compare(files: Mapping[str, bytes], docs: Path) -> tuple[list[str], list[str]]:
    """The names to write and the names to remove."""
    present = set(_present(docs))
    _refuse_links(files, docs)
    changed = [
        name
        for name, content in sorted(files.items())
        if not (docs / name).is_file() or (docs / name).read_bytes() != content
    ]
    return changed, sorted(present - set(files))


def _present(docs: Path) -> Iterator[str]:
    for folder in OWNED:
        if (docs / folder).is_symlink():
            raise UsageError(f"{docs / folder} is a link; remove it, errorkb render makes a folder")
        for path in (docs / folder).rglob("*"):
            if path.is_file() or path.is_symlink():
                yield path.relative_to(docs).as_posix()


def _refuse_links(files: Mapping[str, bytes], docs: Path) -> None:
    """A link inside docs/ would let a page be written somewhere else."""
    seen: set[Path] = set()
    for name in files:
        for folder in (docs / name).parents:
            if folder in seen or folder == docs.parent:
                break
            seen.add(folder)
            if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
                raise UsageError(f"{folder} is not a folder; remove it and run errorkb render")


def replace(path: Path, content: bytes) -> None:
    """Write a file in place of the present one, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        Path(temporary).chmod(0o644)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _prune(folder: Path) -> None:
    """Remove folders that are left empty, from the innermost out."""
    if not folder.is_dir():
        return
    for path in [*sorted(folder.rglob("*"), reverse=True), folder]:
        if path.is_dir() and not path.is_symlink() and not any(path.iterdir()):
            path.rmdir()
