"""The compiled library that a lookup reads: templates, words, frames, and what is printed.

Built from the records once and kept in the user's cache; read again while the size and time of
every file it was made from are unchanged. It is plain data (marshal), without code, and reading it
needs neither pydantic nor yaml. Where the cache cannot be written it is built in memory.
"""

from __future__ import annotations

import marshal
import os
import sys
import zlib

from errorkb.pattern import Placeholder, Template
from errorkb.words import weight

TYPE_CHECKING = False  # `typing` is not worth its import on the path of a lookup
if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path
    from typing import Any

    from errorkb.diagnosis import Tree
    from errorkb.layout import Layout
    from errorkb.places import Places

FORMAT = 6
_MAGIC = b"errorkb index\n"
_PYTHON = f"{sys.version_info[0]}.{sys.version_info[1]}".encode()
_MAKERS = ("index.py", "indexer.py", "pattern.py", "diagnosis.py", "words.py", "model.py")


class Wording:
    """One template of one record, ready to match.

    Attributes:
        number: its place in the index.
        record: number of its record.
        template: the parsed template.
        when: a condition over its captures, or None.
        words: the words of its literals, in order.
        weight: what they say in all.
        software: what prints it.
        lines: how many lines its literals span.
    """

    __slots__ = ("lines", "number", "record", "software", "template", "weight", "when", "words")

    def __init__(self, number: int, row: tuple[Any, ...], index: Index) -> None:
        record, pieces, when, words, software = row
        self.number = number
        self.record: int = record
        self.template = Template(
            "", [p if isinstance(p, str) else Placeholder(p[0], p[1]) for p in pieces]
        )
        self.when: Tree | None = when
        self.words: tuple[str, ...] = words
        self.weight = sum(index.weight(word) for word in set(words))
        self.software: str = software
        self.lines = 1 + sum(piece.count("\n") for piece in self.template.literals)


class Index:
    """The records as a lookup needs them.

    Attributes:
        heads: (code, slug, title, kind, class names, packages) of each record.
    """

    __slots__ = ("_data", "_wordings", "heads")

    def __init__(self, data: dict[str, Any]) -> None:
        self._data = data
        self._wordings: dict[int, Wording] = {}
        self.heads: list[tuple[str, str, str, str, tuple[str, ...], tuple[str, ...]]] = data[
            "heads"
        ]

    def record(self, number: int) -> dict[str, Any]:
        """All that is printed of a record."""
        data: dict[str, Any] = marshal.loads(self._data["records"][number])  # noqa: S302  see _read
        return data

    def find(self, name: str) -> int | None:
        """The record that a code, a slug or a former slug names."""
        name = name.strip()
        found: int | None = self._data["names"].get(name.upper())
        return found if found is not None else self._data["names"].get(name.lower())

    def weight(self, word: str) -> float:
        """What a word says, by its rarity here."""
        return weight(word, len(self._data["postings"].get(word, ())))

    def wording(self, number: int) -> Wording:
        """A template by its number."""
        found = self._wordings.get(number)
        if found is None:
            found = Wording(number, self._data["wordings"][number], self)
            self._wordings[number] = found
        return found

    def by_key(self, words: Iterable[str]) -> set[int]:
        """Numbers of the wordings of which one of the rarest words is among these."""
        keys: dict[str, tuple[int, ...]] = self._data["keys"]
        return {number for word in words if word in keys for number in keys[word]}

    def by_word(self, word: str) -> tuple[int, ...]:
        """Numbers of the wordings that hold a word."""
        return self._data["postings"].get(word, ())  # type: ignore[no-any-return]  # marshal's data

    def by_frame(self, file: str, function: str) -> tuple[int, ...]:
        """Numbers of the records that are raised in a function; `file` is its name alone."""
        return self._data["frames"].get(f"{file}\n{function}", ())  # type: ignore[no-any-return]  # marshal's data

    def shows_frame(self, record: int) -> bool:
        """Whether a record's error is raised by Python code alone, which a traceback shows."""
        places = [key for key, records in self._data["frames"].items() if record in records]
        return bool(places) and all(key.partition("\n")[0].endswith(".py") for key in places)

    def prose(self) -> dict[str, dict[int, int]]:
        """word → record → how much the word counts in the record's title, wording and prose."""
        prose: dict[str, dict[int, int]] = marshal.loads(self._data["prose"])  # noqa: S302  see _read
        return prose


def load(layout: Layout | Places) -> Index:
    """The index of a library, from the cache where that is current.

    Raises:
        UsageError: the library must be compiled and has a mistake; see `errorkb.store.load`.
    """
    signature = _signature(layout)
    path = _cache_path(layout)
    data = _read(path, signature)
    if data is None:
        from errorkb.indexer import compile_layout
        from errorkb.layout import Layout

        data = compile_layout(layout if isinstance(layout, Layout) else Layout.of(layout))
        _write(path, signature, data)
    return Index(data)


def _signature(layout: Layout | Places) -> bytes:
    """Names, sizes and times of all files that the index is made from."""
    own = os.path.dirname(__file__)
    rows = [f"{FORMAT} {layout.root}"]
    for name in _MAKERS:
        status = os.stat(os.path.join(own, name))
        rows.append(f"{name} {status.st_size} {status.st_mtime_ns}")
    folders = [str(layout.records), str(layout.examples), str(layout.verification)]
    if layout.kernels is not None:  # a result is stale when the kernels changed
        folders.append(os.path.join(layout.kernels, "kda_kernels"))
    for folder in folders:
        _list(folder, rows)
    return "\n".join(rows).encode("utf-8", "surrogateescape")


def _list(folder: str, rows: list[str]) -> None:
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        if entry.name.startswith((".", "__pycache__")):
            continue
        if entry.is_dir(follow_symlinks=False):
            _list(entry.path, rows)
        else:
            status = entry.stat(follow_symlinks=False)
            rows.append(f"{entry.path} {status.st_size} {status.st_mtime_ns}")


def _cache_path(layout: Layout | Places) -> str:
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    name = f"{zlib.crc32(os.fsencode(layout.root)):08x}-{_PYTHON.decode()}"
    return os.path.join(base, "errorkb", f"{name}.index")


def _read(path: str, signature: bytes) -> dict[str, Any] | None:
    """The cached index, or None when it is absent, damaged or of other files."""
    try:
        with open(path, "rb") as file:
            content = file.read()
    except OSError:
        return None
    header = _header(signature)
    if not content.startswith(header):
        return None
    body = memoryview(content)[len(header) + 8 :]
    # Damaged marshal data could crash the interpreter, so nothing unchecked is loaded.
    if content[len(header) : len(header) + 8] != b"%08x" % zlib.crc32(body):
        return None
    try:
        data: dict[str, Any] = marshal.loads(body)  # noqa: S302  a user's own cache, checked above
    except (ValueError, EOFError, TypeError):
        return None
    return data


def _header(signature: bytes) -> bytes:
    return b"%s%s\n%d\n%s\n" % (_MAGIC, _PYTHON, len(signature), signature)


def _write(path: str, signature: bytes, data: dict[str, Any]) -> None:
    """Put the index in place whole, or not at all; a cache that cannot be written is no error."""
    body = marshal.dumps(data)
    temporary = f"{path}.{os.getpid()}"
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(temporary, "wb") as file:
            file.write(_header(signature) + b"%08x" % zlib.crc32(body) + body)
        os.replace(temporary, path)
    except OSError:
        try:
            os.unlink(temporary)
        except OSError:
            return


def module_name(path: str | Path) -> str:
    """The name of a source file without its folders, as frames are keyed."""
    return str(path).replace("\\", "/").rpartition("/")[2]
