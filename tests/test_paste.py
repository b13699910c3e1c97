"""Reading a paste of any size and encoding, and cleaning its lines."""

from __future__ import annotations

import io
import time
from collections.abc import Iterator

import pytest

from errorkb import excerpt
from errorkb.errors import UsageError
from errorkb.excerpt import BETWEEN, HEAD, LINES, TAIL
from errorkb.paste import LONGEST_LINE, WHOLE, Paste, excerpt_note, read
from errorkb.traceback import parse


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
    paste = read(stream, "it")
    lines = {line.text: line.number for line in paste.lines()}
    assert time.process_time() - start < 10
    assert paste.size > 99_000_000
    assert paste.kept <= HEAD + TAIL + BETWEEN + (4 << 20)
    assert lines["ValueError: in the middle 1"] == (count // 2) * 2000 + 6
    assert lines["ValueError: at the end 2"] == (count - 2) * 2000 + 7
    assert "the end and one place between" in str(excerpt_note(paste))


def test_a_large_paste_in_utf_16_is_read_to_its_end() -> None:
    text = "step 17 went well\n" * 400_000 + "ValueError: at the end \u00e9 2\n"
    paste = read(io.BytesIO(text.encode("utf-16")), "it")
    assert list(paste.lines())[-1].text == "ValueError: at the end \u00e9 2"


TRACEBACK = b"""Traceback (most recent call last):
  File "/home/me/train.py", line 5, in <module>
    main()
  File "/v/site-packages/demo/pool.py", line 7, in take
    raise PoolError("expected pool size (4, 8)" + why)
demo.errors.PoolError: expected pool size (4, 8)
of which 3 are taken
and 5 are free
-----
"""


@pytest.mark.parametrize("edge", [HEAD, 3 << 20, 5 << 20, 7 << 20])
def test_a_traceback_is_whole_wherever_a_block_ends(edge: int) -> None:
    """HEAD, and the multiples of CHUNK at which 9 MiB are cut."""
    step = b"step 17 went well" + b", as did all before it" * 40 + b"\n"
    earlier = TRACEBACK.partition(b'  File "/v')[0] + b"KeyError: 3\n"  # begins with the same words
    start = step * 700 + earlier if edge > HEAD else b""
    for ahead in range(0, len(TRACEBACK) + 20, 7):
        count, rest = divmod(edge - ahead - len(start), len(step))
        before = start + step * count + b"." * (rest - 1) + b"\n" * (rest > 0)
        data = before + TRACEBACK + step * (((9 << 20) - edge) // len(step))
        raised = parse(read(io.BytesIO(data), "it")).exceptions[-1]
        assert raised.message == "expected pool size (4, 8)\nof which 3 are taken\nand 5 are free"
        assert [function for _, function in raised.frames] == ["<module>", "take"]
        assert raised.line == before.count(b"\n") + 6


def test_of_a_million_lines_the_first_and_the_last_are_looked_at() -> None:
    paste = read(io.BytesIO(b"a\n" * 500_000 + b"b\n" * 500_000 + b"ValueError: last"), "it")
    lines = list(paste.lines())
    assert len(lines) == LINES
    assert (lines[0].number, lines[0].text) == (1, "a")
    assert (lines[-1].number, lines[-1].text) == (1_000_001, "ValueError: last")
    assert excerpt_note(paste) == "Of these 2 MB the beginning and the end were read."


class Endless(io.RawIOBase):
    def read(self, size: int = -1) -> bytes:
        return b"step 17 went well\n" * (size // 18)


def test_a_pipe_without_an_end_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(excerpt, "ENDLESS", 30 << 20)
    paste = read(Endless(), "it")
    assert paste.size < 40 << 20
    assert "the input did not end" in str(excerpt_note(paste))


def test_a_line_without_end_is_cut() -> None:
    paste = read(io.BytesIO(b"x" * (3 * WHOLE) + b"\nValueError: last\n"), "it")
    lines = list(paste.lines())
    assert max(len(line.text) for line in lines) <= LONGEST_LINE + 3
    assert lines[-1].text == "ValueError: last"


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


@pytest.mark.parametrize("data", [b"\x1b[31m\x1b[0m\n\x1b[1m", b"\0", b"\0 \x08\n\xef\xbb\xbf"])
def test_codes_without_text_are_refused(data: bytes) -> None:
    with pytest.raises(UsageError, match="it holds no text"):
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
