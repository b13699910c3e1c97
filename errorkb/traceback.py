"""Pasted text → the exceptions in it, in order, with their frames and their place in the chain.

Understands what Python, pytest, IPython and rich print, exception groups, exceptions quoted inside
others, and Triton's compile errors, whose message follows a source excerpt. Lines are cleaned and
prefixes removed by `errorkb.paste`; lines of several processes are told apart by their prefixes.
One pass, no backtracking.
"""

from __future__ import annotations

from errorkb import quoted
from errorkb.frames import frame_of, is_source
from errorkb.paste import Line, Paste

MESSAGE_LINES = 60
"""Lines that one message may span."""
EXCEPTIONS = 500
"""Exceptions that are told apart in one paste; the first half and the last are kept."""

CAUSE = "root cause"
WRAPPER = "wrapper"
LAST = "last"
ONLY = "only"

_HEADER = "Traceback (most recent call last)"
_DIRECT = "The above exception was the direct cause of the following exception"
_DURING = "During handling of the above exception, another exception occurred"
_STOPS = ("Exception raised from ", "frame #", "Exception ignored in", "-----", "=====", "_____")
_EXPLAIN = "errorkb explain "


class Raised:
    """One exception of the paste.

    Attributes:
        cls: its class as printed, or None for a bare message.
        message: its message, lines joined by newlines; empty when it has none. Of an assertion
            without one it is the statement, where the source excerpt shows it.
        line: number of the line it begins on.
        frames: (file, function) of its traceback, outermost first.
        role: "root cause", "wrapper" or "last" in a chain, "only" without one.
        depth: how many exceptions of the chain lie below it; 0 for the root cause.
        chain: all exceptions of its chain, itself included, root cause first.
        code: the record's code, when a note names it.
    """

    __slots__ = ("chain", "cls", "code", "depth", "frames", "line", "message", "role")

    def __init__(
        self, cls: str | None, message: str, line: int, frames: list[tuple[str, str]] | None = None
    ) -> None:
        self.cls = cls
        self.message = message
        self.line = line
        self.frames = frames or []
        self.role = ONLY
        self.depth = 0
        self.chain = [self]
        self.code: str | None = None

    def __repr__(self) -> str:
        return f"Raised({self.cls!r}, {self.message!r}, line {self.line}, {self.role})"


class Report:
    """What a paste holds.

    Attributes:
        exceptions: in order of their lines.
        lines: lines that belong to no exception, frame or source excerpt.
        headers: how many tracebacks begin in it.
        unfinished: tracebacks of which only the frames are there, as exceptions that say nothing.
    """

    __slots__ = ("exceptions", "headers", "lines", "unfinished")

    def __init__(
        self,
        exceptions: list[Raised],
        lines: list[Line],
        headers: int,
        unfinished: list[Raised] | None = None,
    ) -> None:
        self.exceptions = exceptions
        self.lines = lines
        self.headers = headers
        self.unfinished = unfinished or []


def parse(paste: Paste | str) -> Report:
    """Find the exceptions of a paste."""
    if isinstance(paste, str):
        paste = Paste.of(paste)
    streams: dict[str, list[Line]] = {}
    for line in paste.lines():
        streams.setdefault(line.prefix.process, []).append(line)
    found: list[Raised] = []
    rest: list[Line] = []
    unfinished: list[Raised] = []
    headers = 0
    for lines in streams.values():
        stream = _Stream(lines)
        stream.run()
        # A file without a function may be a place that a log record names.
        if any(function for _, function in stream.frames):
            unfinished.append(Raised(None, "", lines[-1].number, stream.frames))
        found += stream.found
        rest += stream.rest
        headers += stream.headers
    found.sort(key=lambda raised: raised.line)
    if len(found) > EXCEPTIONS:
        found = found[: EXCEPTIONS // 2] + found[-EXCEPTIONS // 2 :]
    rest.sort(key=lambda line: line.number)
    return Report(found, rest, headers, unfinished)


class _Stream:
    """The lines of one process."""

    def __init__(self, lines: list[Line]) -> None:
        self.lines = lines
        self.found: list[Raised] = []
        self.rest: list[Line] = []
        self.chain: list[Raised] = []
        """The current chain, root cause first."""
        self.frames: list[tuple[str, str]] = []
        self.link = ""
        self.group: Raised | None = None
        self.after_frame = False
        self.assertion = ""
        """The last `assert` statement of the current traceback's excerpts."""
        self.headers = 0

    def run(self) -> None:
        index = 0
        while index < len(self.lines):
            index = self._step(index)
        self._close_chain()

    def _step(self, index: int) -> int:
        line = self.lines[index]
        body = _own(line)
        bare = body.strip()
        if not bare or self._structure(bare) or self._frame(bare):
            return index + 1
        self._note_assertion(bare)
        if is_source(body, in_traceback=self.after_frame):
            return index + 1
        head = quoted.headline(bare, known_only=not self._may_be_headline(body))
        if head is None:
            self.rest.append(line)
            head = quoted.embedded(bare)
        if head is None:
            self.after_frame = self.after_frame and body[:1] == " "
            return index + 1
        return self._exception(index, body, *head)

    def _note_assertion(self, bare: str) -> None:
        """Keep an `assert` of an excerpt, behind pytest's `>` or IPython's arrow and number."""
        statement = bare.lstrip("->").lstrip().lstrip("0123456789").lstrip()
        if statement.startswith("assert ") and self.frames:
            self.assertion = statement

    def _frame(self, bare: str) -> bool:
        """Consume a frame; returns whether it was one."""
        frame = frame_of(bare)
        if frame is None:
            return False
        if frame[1] == "" and self.found and not self.frames and not self.found[-1].frames:
            # pytest prints where an exception was raised below it.
            self.found[-1].frames = [frame]
        else:
            self.frames.append(frame)
            self.after_frame = True
            self.assertion = ""
        return True

    def _may_be_headline(self, body: str) -> bool:
        """Below frames, at the left edge, any name followed by a colon is a class."""
        return bool(self.frames) and body[:1] != " "

    def _structure(self, bare: str) -> bool:
        """Consume a line that only structures the text; returns whether it was one."""
        if _HEADER in bare:
            self.headers += 1
            self.frames = []
            self.after_frame = True
            return True
        if _DIRECT in bare or _DURING in bare:
            if self.chain:
                self.link = "follows"
                self.chain[-1].role = CAUSE  # stays so when the paste ends here
            return True
        if bare.startswith(("+-", "+ Exception Group")):
            groups = [raised for raised in self.chain if _short(raised.cls).endswith("Group")]
            self.group = groups[0] if groups else None
            self.link = "member" if self.group else ""
            self.frames = []
            return True
        return False

    def _exception(self, index: int, body: str, cls: str | None, message: str) -> int:
        """Read the message that begins on line `index`; returns the index after it."""
        line = self.lines[index]
        raised = Raised(cls, message, line.number, self.frames)
        assertion, self.assertion = self.assertion, ""
        self.frames = []
        self.after_frame = False
        compiled = quoted.is_compile_error(cls, message)
        end = index + 1
        tail = _Tail(len(body) - len(body.lstrip()), line)
        while end < len(self.lines) and len(tail.texts) < MESSAGE_LINES:
            if not tail.take(self.lines[end], excerpt=compiled and not tail.caret):
                break
            end += 1
        if end < len(self.lines) and compiled and tail.caret:
            # The excerpt is followed by the exception itself, perhaps as a headline.
            text = _own(self.lines[end]).strip()
            if quoted.headline(text, known_only=True):
                tail.texts.append(text)
                tail.numbers.append(self.lines[end].number)
                end += 1
        self._add(raised, tail)
        if _short(cls) == "AssertionError" and not raised.message:
            raised.message = assertion
        return end

    def _add(self, raised: Raised, tail: _Tail) -> None:
        texts = tail.texts
        while texts and not texts[-1].strip():
            texts.pop()
        inner: list[Raised] = []
        if quoted.is_compile_error(raised.cls, raised.message):
            inner = _after_caret(texts, tail.numbers)
        raised.message = "\n".join([raised.message, *texts]).strip("\n")
        _read_notes(raised)
        self._chain(raised)
        position = self.chain.index(raised)
        if not inner:
            inner = [Raised(*found, raised.line) for found in quoted.inside(raised.message)]
        raised.message = quoted.without_escapes(raised.message)
        for each in inner:
            each.frames = raised.frames
            self.chain.insert(position, each)
            self.found.append(each)

    def _chain(self, raised: Raised) -> None:
        self.found.append(raised)
        if self.link == "follows":
            self.chain.append(raised)
        elif self.link == "member" and self.group in self.chain:
            self.chain.insert(self.chain.index(self.group), raised)
        else:
            self._close_chain()
            self.chain = [raised]
        # A member's own chain goes on inside the group.
        self.link = ""

    def _close_chain(self) -> None:
        chain = self.chain
        for depth, raised in enumerate(chain):
            raised.depth = depth
            raised.chain = chain
            if depth == 0:
                raised.role = CAUSE if len(chain) > 1 or raised.role == CAUSE else ONLY
            else:
                raised.role = LAST if depth == len(chain) - 1 else WRAPPER
        self.chain = []
        self.group = None


class _Tail:
    """The lines of a message after its first."""

    def __init__(self, indent: int, first: Line) -> None:
        self.indent = indent
        self.first = first
        self.texts: list[str] = []
        self.numbers: list[int] = []
        self.caret = False
        self.blank = 0

    def take(self, line: Line, *, excerpt: bool) -> bool:
        """Add a line if it belongs to the message."""
        body = _own(line)
        bare = body.strip()
        if not bare:
            self.blank += 1
            self._append("", line)
            return self.blank < 3
        if _begins_something(bare) or (self._new_record(line) and not excerpt):
            return False
        if not excerpt and (
            quoted.headline(bare, known_only=True) or frame_of(bare) or quoted.embedded(bare)
        ):
            return False
        self.blank = 0
        if set(bare) == {"^"}:
            self.caret = True
        self._append(body[min(self.indent, len(body) - len(bare)) :], line)
        return True

    def _append(self, text: str, line: Line) -> None:
        self.texts.append(text)
        self.numbers.append(line.number)

    def _new_record(self, line: Line) -> bool:
        """Whether a logger began a new record with this line."""
        if not line.prefix.dated and not line.prefix.origin:
            return False
        first = self.first.prefix
        return line.prefix.origin != first.origin or (line.prefix.dated and not first.dated)


def _own(line: Line) -> str:
    """A line's own text, without pytest's `E   `."""
    body = line.body
    if body[:3] == "E  " or body == "E":
        return body[1:]
    return body


def _begins_something(bare: str) -> bool:
    return (
        _HEADER in bare
        or _DIRECT in bare
        or _DURING in bare
        or bare.startswith(_STOPS)
        or bare.startswith("+-")
    )


def _after_caret(texts: list[str], numbers: list[int]) -> list[Raised]:
    """The exception below the source excerpt of a compile error, with those inside it."""
    carets = [i for i, text in enumerate(texts) if text.strip() and set(text.strip()) == {"^"}]
    if not carets:
        return []
    rest = "\n".join(texts[carets[-1] + 1 :]).strip()
    if not rest:
        return []
    number = numbers[carets[-1] + 1]
    head = quoted.headline(rest, known_only=True)
    outer = Raised(*(head or (None, rest)), number)
    return [outer, *(Raised(*found, number) for found in quoted.inside(outer.message))]


def _read_notes(raised: Raised) -> None:
    """Take the record's code from a note (PEP 678); notes are no part of the message."""
    lines = raised.message.split("\n")
    for index, text in enumerate(lines):
        at = text.find(_EXPLAIN)
        code = text[at + len(_EXPLAIN) :].split(" ", 1)[0].strip(".'\"`") if at >= 0 else ""
        if index and code.startswith("EKB") and code[3:].isdigit():
            raised.code = code
            first = index - 1 if index > 1 and lines[index - 1].startswith("got ") else index
            raised.message = "\n".join(lines[:first])
            return


def _short(cls: str | None) -> str:
    return (cls or "").rpartition(".")[2]
