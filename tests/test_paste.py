"""Reading a paste of any size and encoding, and cleaning its lines."""

from __future__ import annotations

import io
import time
from collections.abc import Iterator
from typing import BinaryIO, cast

import pytest

from errorkb.errors import UsageError
from errorkb.paste import BETWEEN, HEAD, LONGEST_LINE, TAIL, WHOLE, Paste, excerpt_note, read


def texts(text: str) -> list[str]:
    return [line.text for line in Paste.of(text).lines()]


class Stream(io.RawIOBase):
    """A file of `count` equal blocks, made while it is read."""

    def __init__(self, block: bytes, count: int, special: dict[int, bytes]) -> None:
        self._blocks: Iterator[bytes] = (special.get(n, block) for n in range(count))

    def read(self, size: int = -1) -> bytes:
        return next(self._blocks, b"")


def test_a_paste_of_100_mb_is_read_in_bounded_memory_and_time() -> None:
    block = b"2026-01-01 12:00:00,123 INFO step 17 loss=1.25\n" * 2000
    count = 100_000_000 // len(block)
    error = b"noise\n" * 5 + b"ValueError: in the middle 1\n"
    last = b"ValueError: at the end 2\n"
    start = time.process_time()
    stream = Stream(block, count, {count // 2: error, count - 1: last})
    paste = read(cast("BinaryIO", stream), "it")
    lines = {line.text: line.number for line in paste.lines()}
    assert time.process_time() - start < 10
    assert paste.size > 99_000_000
    assert paste.kept <= HEAD + TAIL + BETWEEN + (4 << 20)
    assert lines["ValueError: in the middle 1"] == (count // 2) * 2000 + 6
    assert lines["ValueError: at the end 2"] == (count - 2) * 2000 + 7
    assert "places between" in str(excerpt_note(paste))


def test_a_line_without_end_is_cut() -> None:
    paste = read(io.BytesIO(b"x" * (3 * WHOLE) + b"\nValueError: last\n"), "it")
    lines = list(paste.lines())
    assert max(len(line.text) for line in lines) <= LONGEST_LINE + 3
    assert lines[-2].text == "ValueError: last"


@pytest.mark.parametrize(
    "data",
    [bytes(range(256)) * 40, b"\x7fELF\x02\x01\x01" + bytes(5000), b"\x89PNG\r\n\x1a\n\0\0\0\rIH"],
)
def test_binary_data_is_refused_in_one_sentence(data: bytes) -> None:
    with pytest.raises(UsageError, match=r"^it is binary data, not text; [^\n]+$"):
        read(io.BytesIO(data), "it")


@pytest.mark.parametrize("data", [b"", b"\n \n\t"])
def test_nothing_is_refused(data: bytes) -> None:
    with pytest.raises(UsageError, match="it is empty"):
        read(io.BytesIO(data), "it")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "latin-1"])
def test_encodings(encoding: str) -> None:
    data = "ValueError: size \u00e9 7\n".encode(encoding)
    (line, *_) = read(io.BytesIO(data), "it").lines()
    assert line.text.startswith("ValueError: size ")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\x1b[0;31mValueError\x1b[0m: x", "ValueError: x"),
        ("[0;31mValueError[0m: x", "ValueError: x"),
        ("\x1b]8;;http://a\x1b\\file\x1b]8;;\x1b\\", "file"),
        ("shape [1, 8] of [3]", "shape [1, 8] of [3]"),
        ("\u2502 text \u2502", "text"),
        ("\u201cquoted\u201d \u2018too\u2019", "\"quoted\" 'too'"),
        ("10%\r20%\rdone", "done"),
        ("a\u200bb\u00a0c\td", "ab c    d"),
        ("&lt;module&gt; &quot;x&quot; &amp;amp;", '<module> "x" &amp;'),
        ('{"a": 1} is no log', '{"a": 1} is no log'),
        (r"C:\new\table", r"C:\new\table"),
    ],
)
def test_cleaning(text: str, expected: str) -> None:
    assert texts(text) == [expected]


def test_json_strings_become_lines_with_the_number_of_theirs() -> None:
    text = 'plain\n{"level": "error", "message": "one\\ntwo"}\nlast'
    lines = [(line.number, line.text) for line in Paste.of(text).lines()]
    assert lines == [(1, "plain"), (2, "error"), (2, "one"), (2, "two"), (3, "last")]


def test_a_json_document_keeps_its_line_numbers() -> None:
    text = '{\n "a": "one",\n "b": [\n  "two\\nthree"\n ]\n}'
    lines = [(line.number, line.text) for line in Paste.of(text).lines()]
    assert lines == [(2, "one"), (4, "two"), (4, "three")]
