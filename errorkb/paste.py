"""Whatever a person pastes, as plain lines.

Undoes what transport does to a traceback: encodings, terminal colours (with and without the escape
character), HTML and JSON escapes, typographic quotes, box drawing, log and rank prefixes. A paste
of any size is read in bounded memory: of a large one the beginning, the end and the places between
that look like errors.
"""

from __future__ import annotations

import codecs

from errorkb.errors import UsageError
from errorkb.excerpt import CHUNK, bounded, excerpt
from errorkb.prefix import Prefix, split_prefix
from errorkb.quoted import headline

TYPE_CHECKING = False  # `typing` is not worth its import on the path of a lookup
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from errorkb.excerpt import Source

WHOLE = 2 << 20
"""Bytes up to which a paste is read whole."""
LONGEST_LINE = 32 << 10
"""Characters of a line that are looked at; a longer one keeps its beginning and its end."""


class Line:
    """One line of the paste.

    Attributes:
        number: 1-based, in the paste as it came.
        text: the line, cleaned.
        prefix: what a logger or launcher put before it.
    """

    __slots__ = ("number", "prefix", "text")

    def __init__(self, number: int, text: str) -> None:
        self.number = number
        self.text = text
        self.prefix: Prefix = split_prefix(text)

    @property
    def body(self) -> str:
        """The text after the prefix."""
        return self.text[self.prefix.end :]


class Paste:
    """A paste as read: pieces of text with the number of their first line.

    Attributes:
        pieces: (number of the first line, text) in order.
        size: bytes in all.
        kept: bytes that were kept.
        places: how many pieces lie between the beginning and the end.
        ended: whether it was read to its end.
    """

    __slots__ = ("ended", "kept", "pieces", "places", "size")

    def __init__(
        self, pieces: list[tuple[int, str]], size: int, kept: int, *, ended: bool = True
    ) -> None:
        self.pieces = bounded(pieces)
        self.places = max(0, len(pieces) - 2)
        self.size = size
        self.kept = kept if len(self.pieces) == len(pieces) else min(kept, size - 1)
        self.ended = ended

    @classmethod
    def of(cls, text: str) -> Paste:
        """A paste that is already text."""
        size = len(text.encode("utf-8", "replace"))
        return cls([(1, text)], size, size)

    def lines(self) -> Iterator[Line]:
        """The cleaned lines; where one piece follows another, nothing stands between them."""
        for first, text in self.pieces:
            for number, line in _unpacked(first, _unescaped_html(text)):
                yield Line(number, _cleaned(line))


def read(stream: Source, name: str) -> Paste:
    """Read a paste in bounded memory.

    Args:
        stream: where it comes from.
        name: what to call it in a complaint.

    Raises:
        UsageError: it is binary, or holds no text.
    """
    head = _more(b"", stream)
    if not head.strip():
        raise UsageError(f"{name} is empty; paste a traceback or an error message.")
    encoding = _encoding(head[:4096])
    _refuse_binary(head[: 64 << 10], encoding, name)
    if encoding != "utf-8":
        converted = _AsUtf8(stream, encoding)
        head = _more(converted.of(head), converted)
        stream = converted
    if len(head) <= WHOLE:
        text = head.decode("utf-8", "replace").removeprefix("\ufeff")
        if len(head) <= LONGEST_LINE and not any(map(_cleaned, text.split("\n"))):
            raise UsageError(f"{name} holds no text; paste a traceback or an error message.")
        return Paste([(1, text)], len(head), len(head))
    pieces, size, ended = excerpt(head, stream)
    texts = [(number, piece.decode("utf-8", "replace")) for number, piece in pieces]
    return Paste(texts, size, sum(len(piece) for _, piece in pieces), ended=ended)


def _more(head: bytes, stream: Source) -> bytes:
    """`head` and as much more as a whole paste may have, and a little to tell that it has."""
    read = bytearray(head)
    while len(read) <= WHOLE and (chunk := stream.read(CHUNK)):
        read += chunk
    return bytes(read)


class _AsUtf8:
    """A stream in another encoding, as UTF-8."""

    def __init__(self, stream: Source, encoding: str) -> None:
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder(encoding)("replace")

    def of(self, data: bytes) -> bytes:
        """What was read of the stream before, or is read now."""
        return self._decoder.decode(data, not data).encode("utf-8", "replace")

    def read(self, size: int) -> bytes:
        """The next bytes; none at the end."""
        return self.of(self._stream.read(size))

    def seekable(self) -> bool:
        """Whether it is a file, which has an end."""
        return self._stream.seekable()


def excerpt_note(paste: Paste) -> str | None:
    """Which part of a large paste was read, as a sentence; None when all of it was."""
    if paste.kept == paste.size:
        return None
    parts = "the beginning and the end"
    if paste.places:
        places = "one place" if paste.places == 1 else f"{paste.places} places"
        parts = f"the beginning, the end and {places} between that may hold errors"
    said = f"Of these {paste.size / 1e6:.0f} MB {parts} were read."
    if not paste.ended:
        said += " They are not all of it: the input did not end."
    return said


def _encoding(start: bytes) -> str:
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    # PowerShell redirects as UTF-16 and an editor may have dropped the mark.
    if start[1::2].count(0) > 0.8 * len(start[1::2]) > 0 and 0 not in start[::2]:
        return "utf-16-le"
    return "utf-8"


def _refuse_binary(start: bytes, encoding: str, name: str) -> None:
    text = start.decode(encoding, "replace")
    odd = sum(text.count(chr(i)) for i in range(32) if chr(i) not in "\t\n\r\f\b\x1b")
    if odd + text.count("\ufffd") > 0.05 * len(text) + 2:
        raise UsageError(f"{name} is binary data, not text; paste the traceback as text.")


_ENTITIES = (
    ("&lt;", "<"),
    ("&gt;", ">"),
    ("&quot;", '"'),
    ("&#34;", '"'),
    ("&#x22;", '"'),
    ("&#39;", "'"),
    ("&#x27;", "'"),
    ("&apos;", "'"),
    ("&nbsp;", " "),
    ("&#x60;", "`"),
    ("&#96;", "`"),
    ("&amp;", "&"),
)
_TAGS = ("pre", "code", "span", "div", "br", "br/", "br /", "p", "b")


def _unescaped_html(text: str) -> str:
    if not any(entity in text for entity, _ in _ENTITIES):
        return text
    for tag in _TAGS:
        text = text.replace(f"<{tag}>", "\n" if tag.startswith("br") else "")
        text = text.replace(f"</{tag}>", "")
    for entity, character in _ENTITIES:
        text = text.replace(entity, character)
    return text


def _unpacked(first: int, text: str) -> Iterator[tuple[int, str]]:
    """Physical lines; JSON documents, JSON lines and escaped newlines become the lines they hold.

    Lines out of one physical line share its number.
    """
    text = text.replace("\r\n", "\n").removesuffix("\n")
    if text.lstrip()[:1] in {"{", "["} and text.rstrip()[-1:] in {"}", "]"}:
        document = _json_strings(text)
        if document:
            yield from _located(first, text, document)
            return
    for number, raw in enumerate(text.split("\n"), first):
        # A progress bar returns to the line's start; what was written last is what was seen.
        line = raw.rstrip("\r")
        line = line[line.rfind("\r") + 1 :]
        if len(line) > LONGEST_LINE:
            line = f"{line[: LONGEST_LINE // 2]} \u2026 {line[-LONGEST_LINE // 2 :]}"
        for part in _from_json_line(line):
            yield number, part


def _located(first: int, text: str, strings: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Give each string the number of the line where its beginning stands in the document."""
    from json import dumps

    position, number = 0, first
    for string in strings:
        found = text.find(dumps(string[:40], ensure_ascii="\\u" in text)[1:-1], position)
        if found >= 0:
            number += text.count("\n", position, found)
            position = found
        for line in string.split("\n"):
            yield number, line[:LONGEST_LINE]


def _from_json_line(line: str) -> list[str]:
    bare = line.strip().rstrip(",")
    start = bare.find("{")
    if 0 <= start < 200 and bare.endswith("}") and '":' in bare:
        strings = _json_strings(bare[start:])
        if strings:
            return [part for string in strings for part in string.split("\n")]
    if len(bare) > 1 and bare[0] == bare[-1] == '"' and "\\" in bare:
        strings = _json_strings(f"[{bare}]")
        if strings:
            return strings[0].rstrip("\n").split("\n")
    if "\\n" in line and _is_escaped(line):
        return _unescaped(line).split("\n")
    return [line.replace('\\"', '"') if 'File \\"' in line else line]


_ESCAPED = ("\\n  File", "\\nTraceback", "call last):\\n", "\\x1b[", "\\u001b[", "\\033[")


def _is_escaped(line: str) -> bool:
    """Whether `\\n` in a line stands for a line end, not for a folder that begins with n."""
    if any(hint in line for hint in _ESCAPED):
        return True
    return any(headline(part, known_only=True) for part in line.split("\\n")[1:])


def _json_strings(text: str) -> list[str]:
    """All strings among the values of a JSON document, in order; empty when it is none."""
    from json import loads

    try:
        document = loads(text)
    except (ValueError, RecursionError):
        return []
    strings: list[str] = []
    waiting = [document]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            strings.append(value)
        elif isinstance(value, dict):
            waiting.extend(reversed(list(value.values())))
        elif isinstance(value, list):
            waiting.extend(reversed(value))
    return strings


def _unescaped(line: str) -> str:
    for _ in range(2):
        if "\\n" not in line:
            break
        # A doubled backslash is one; it must not join a following n.
        line = (
            line.replace("\\\\n", "\\n")
            .replace("\\r\\n", "\n")
            .replace("\\n", "\n")
            .replace("\\t", "    ")
            .replace('\\"', '"')
            .replace("\\'", "'")
        )
    return line.replace("\\u001b", "\x1b").replace("\\x1b", "\x1b").replace("\\033", "\x1b")


_CHARACTERS = str.maketrans(
    {
        "\u2018": "'",
        "\u2019": "'",
        "\u201a": "'",
        "\u2032": "'",
        "\u201c": '"',
        "\u201d": '"',
        "\u201e": '"',
        "\u00a0": " ",
        "\u202f": " ",
        "\u200b": None,
        "\u200e": None,
        "\ufeff": None,
        "\t": "    ",
        "\x00": None,
        "\x08": None,
    }
)
_SIDES = "\u2502\u2503\u2551\u258c"
_BOX = frozenset(
    "\u2500\u2501\u2550\u256d\u256e\u256f\u2570\u250c\u2510\u2514\u2518\u2554\u2557\u255a\u255d"
)


def _cleaned(line: str) -> str:
    line = line.translate(_CHARACTERS)
    if "[" in line or "\x1b" in line:
        line = _without_colours(line)
    bare = line.strip()
    if bare[:1] in _SIDES and bare:
        line = bare[1:].rstrip()
        line = line[:-1] if line[-1:] in _SIDES and line else line
        line = line.removeprefix(" ")
    elif bare[:1] in _BOX and bare:
        line = bare.strip("".join(_BOX) + " ")
    return line.rstrip()


def _without_colours(line: str) -> str:
    """Drop `ESC [ 0 ; 3 1 m`, the same without its escape character, and hyperlinks."""
    parts: list[str] = []
    position = 0
    while True:
        at = line.find("[", position)
        if at < 0:
            break
        end = at + 1
        while end < len(line) and line[end] in "0123456789;?" and end - at < 16:
            end += 1
        escaped = at > 0 and line[at - 1] == "\x1b"
        coloured = line[end : end + 1] == "m" and end > at + 1
        if coloured or (escaped and line[end : end + 1].isalpha()):
            parts.append(line[position : at - 1 if escaped else at])
            position = end + 1
        else:
            parts.append(line[position:end])
            position = end
    parts.append(line[position:])
    return _without_links("".join(parts)).replace("\x1b", "")


def _without_links(line: str) -> str:
    while (start := line.find("\x1b]8;")) >= 0:
        end = line.find("\x1b\\", start)
        bell = line.find("\x07", start)
        if end < 0 and bell < 0:
            break
        stop = bell + 1 if bell >= 0 and (end < 0 or bell < end) else end + 2
        line = line[:start] + line[stop:]
    return line
