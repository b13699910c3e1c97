"""The parts of a large paste that are looked at, in bounded memory and time."""

from __future__ import annotations

TYPE_CHECKING = False  # `typing` is not worth its import on the path of a lookup
if TYPE_CHECKING:
    from typing import Protocol

    class Source(Protocol):
        """Where a paste comes from."""

        def read(self, size: int, /) -> bytes: ...

        def seekable(self) -> bool: ...


HEAD = 512 << 10
TAIL = 1 << 20
BETWEEN = 512 << 10
"""Bytes kept of a larger one: its beginning, its end, and in total around errors between them."""
LINES = 60_000
"""Lines of a piece that are looked at; of more, a third from its beginning and the rest from its
end."""
ENDLESS = 1 << 30
"""Bytes after which a pipe that does not end is read no further."""
CHUNK = 1 << 20
"""Bytes read at a time."""

_BEFORE, _AFTER = 3 << 10, 2 << 10
_HINTS = (b"Traceback (most recent", b"Error:", b"Exception:", b"error:", b"ERROR", b"fatal")


def excerpt(head: bytes, stream: Source) -> tuple[list[tuple[int, bytes]], int, bool]:
    """Head, tail and the neighbourhood of new errors between, each piece from a line's start.

    Args:
        head: what was read already, more than a whole paste may have.
        stream: the rest.

    Returns:
        (number of the first line, bytes) of each piece, the bytes in all, and whether they end.
    """
    first = head[: head.rfind(b"\n", 0, HEAD) + 1 or HEAD]
    pieces = [(1, first)]
    # The window reaches back before what was not looked at yet, and its errors reach on behind it:
    # an error at an edge has its whole neighbourhood.
    back = first.rfind(b"\n", 0, max(0, len(first) - _AFTER)) + 1
    window = head[back:]
    line = 1 + first.count(b"\n", 0, back)
    kept = len(first) - back
    looked = 0
    size = len(head)
    seen: set[bytes] = set()
    budget = BETWEEN
    ended = True
    while ended:
        chunk = stream.read(CHUNK)
        size += len(chunk)
        if size > ENDLESS and not stream.seekable():
            ended, chunk = False, b""
        window += chunk
        if not chunk:
            break
        if len(window) <= TAIL + CHUNK:
            continue
        edge = window.rfind(b"\n", looked, len(window) - TAIL) + 1 or len(window) - TAIL
        for start, end in _places(window, looked, edge, seen):
            new = max(start, kept)
            if new < end and budget > 0:
                pieces.append((line + window.count(b"\n", 0, new), window[new:end]))
                budget -= end - new
                kept = end
        reach = max(0, edge - _BEFORE)
        drop = window.rfind(b"\n", 0, reach) + 1 or reach
        line += window.count(b"\n", 0, drop)
        window = window[drop:]
        kept, looked = max(0, kept - drop), edge - drop
    pieces.append((line + window.count(b"\n", 0, kept), window[kept:]))
    return pieces, size, ended


def _places(block: bytes, first: int, last: int, seen: set[bytes]) -> list[tuple[int, int]]:
    """Line-aligned stretches of `block` around errors whose words are not in `seen`.

    The errors begin from `first` up to `last`; the stretches may reach beyond.
    """
    places: list[tuple[int, int]] = []
    for hint in _HINTS:
        stop = last + len(hint) - 1
        at = block.find(hint, first, stop)
        while at >= 0 and len(seen) < 2000:
            words = block[at : at + 80].translate(None, b"0123456789")
            following = at + len(hint)
            if words not in seen:
                seen.add(words)
                start = block.rfind(b"\n", 0, max(0, at - _BEFORE)) + 1
                end = block.find(b"\n", min(len(block), at + _AFTER)) + 1 or len(block)
                places.append((start, end))
                following = max(following, at + _AFTER)
            at = block.find(hint, following, stop)
    places.sort()
    merged: list[tuple[int, int]] = []
    for start, end in places:
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged


def bounded(pieces: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """The same with at most LINES lines a piece, the middle of a longer one left out."""
    found = []
    for first, text in pieces:
        if text.count("\n") < LINES:
            found.append((first, text))
            continue
        lines = text.split("\n")
        head, tail = LINES // 3, LINES - LINES // 3
        found.append((first, "\n".join(lines[:head])))
        found.append((first + len(lines) - tail, "\n".join(lines[-tail:])))
    return found
