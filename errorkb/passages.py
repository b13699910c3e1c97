"""The stretches of a paste that may be an error's message, and the places where one may begin."""

from __future__ import annotations

from errorkb import advice
from errorkb.cuda_codes import spelled_out
from errorkb.quoted import without_escapes
from errorkb.traceback import Raised, Report

PASSAGES = 600
"""Stretches of one paste that are looked up."""
_STARTS = 12
_JOINED = 8
"""Lines of a message without a class that are looked up together."""
_REPORTS = "CalledProcessError"
"""An exception that repeats a command and its exit status: what the command printed says more."""
_BEFORE_MESSAGE = (": ", "'", '"', "`", "] ", "- ", "| ")
"""After these a message may begin inside a line."""


class Passage:
    """A stretch that is looked up.

    Attributes:
        text: one or more lines.
        number: number of its first line in the paste.
        starts: offsets in its first line where a message may begin.
        raised: the exception it belongs to, or None.
        rank: order among passages: the nearer to the root cause, the smaller.
        coded: what the paste has in place of this text, the name of an error code; or "".
    """

    __slots__ = ("coded", "number", "raised", "rank", "starts", "text")

    def __init__(
        self,
        text: str,
        number: int,
        raised: Raised | None,
        rank: float,
        more: list[int],
        *,
        coded: str = "",
    ) -> None:
        self.text = text
        self.coded = coded
        self.number = number
        self.raised = raised
        self.rank = rank
        self.starts = frozenset([0, *more, *_places(text)])

    @property
    def surroundings(self) -> str:
        """The message's first line, its class and its innermost frames."""
        parts = [self.text.split("\n", 1)[0]]
        if self.raised is not None:
            parts.append(self.raised.cls or "")
            parts += [file for file, _ in self.raised.frames[-3:]]
        return "\n".join(parts)


def passages(report: Report) -> list[Passage]:
    """All stretches worth looking up, nearest to the root cause first."""
    found: list[Passage] = []
    seen: set[tuple[str, str | None]] = set()

    def add(text: str, number: int, raised: Raised | None, rank: float, more: list[int]) -> None:
        text = without_escapes(text)
        key = (text, raised.cls if raised else None)
        if text.strip() and key not in seen and len(found) < PASSAGES:
            seen.add(key)
            passage = Passage(text, number, raised, rank, more)
            found.append(passage)
            if advice.foreign(passage.surroundings) is None:
                for name, said in spelled_out(text.split("\n", 1)[0]):
                    found.append(Passage(said, number, raised, rank + 0.25, [], coded=name))

    on_line = {raised.line: raised for raised in report.exceptions}
    for raised in report.exceptions:
        later = 1.0 if (raised.cls or "").endswith(_REPORTS) else 0.0
        add(raised.message, raised.line, raised, raised.depth + later, [])
    for raised in report.exceptions:
        for text in raised.message.split("\n")[1:]:
            add(text.strip(), raised.line, raised, raised.depth + 0.25, [])
    lines = report.lines
    if len(lines) > PASSAGES:
        lines = lines[: PASSAGES // 2] + lines[-PASSAGES // 2 :]
    for position, line in enumerate(lines):
        owner = on_line.get(line.number)
        # A line that quotes an exception says more than the exception alone.
        rank = owner.depth - 0.25 if owner is not None else 0.5
        skipped = len(line.text) - len(line.text.lstrip())
        starts = [max(0, start - skipped) for start in line.prefix.starts]
        text = line.text.strip()
        for after in lines[position + 1 : position + _JOINED]:
            if after.number - line.number > _JOINED or text == "":
                break
            text += "\n" + after.body.rstrip()
        add(text, line.number, owner, rank, starts)
    found.sort(key=lambda passage: passage.rank)
    return found


def _places(text: str) -> list[int]:
    end = text.find("\n")
    first = text if end < 0 else text[:end]
    places: list[int] = []
    for mark in _BEFORE_MESSAGE:
        at = first.find(mark)
        while at >= 0 and len(places) < _STARTS:
            places.append(at + len(mark))
            at = first.find(mark, at + 1)
    return places
