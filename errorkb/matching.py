"""Where and how well one wording matches one passage."""

from __future__ import annotations

from errorkb.diagnosis import holds
from errorkb.index import Wording
from errorkb.passages import Passage
from errorkb.pattern import Placeholder, Template

TYPE_CHECKING = False  # `typing` is not worth its import on the path of a lookup
if TYPE_CHECKING:
    from errorkb.captures import Capture

_REST = Placeholder("\0rest", "text")
_FREE = {"str", "text", "path", "word"}
_TRIES = 6
_LEAST = 8
"""Characters of the literals that must stand in a message that was cut off."""


class Match:
    """A wording found in a passage.

    Attributes:
        captures: the values by name.
        share: how much of the passage's lines the wording's own text explains, 0 to 1.
        clean: whether the message begins where messages begin and ends where they end.
        cut: whether the passage ends before the wording does.
        start: offset in the passage.
    """

    __slots__ = ("captures", "clean", "cut", "share", "start")

    def __init__(
        self, captures: dict[str, Capture], share: float, start: int, *, clean: bool, cut: bool
    ) -> None:
        self.captures = captures
        self.share = share
        self.start = start
        self.clean = clean
        self.cut = cut


def find(wording: Wording, passage: Passage) -> Match | None:
    """The best match of a wording in a passage whose condition holds, or None."""
    best: Match | None = None
    for start in _starts(wording.template, passage):
        match = _at(wording, passage, start)
        if match is None or (wording.when is not None and not holds(wording.when, match.captures)):
            continue
        if best is None or (match.clean, match.share) > (best.clean, best.share):
            best = match
        if best.clean:
            break
    return best


def _starts(template: Template, passage: Passage) -> list[int]:
    """Offsets where the wording may begin: where its first literal stands at a word's start."""
    first = template.pieces[0]
    if not isinstance(first, str):
        return sorted(passage.starts)
    text = passage.text
    line_end = text.find("\n")
    line_end = len(text) if line_end < 0 else line_end
    sought = first.split("\n", 1)[0]
    found: list[int] = []
    at = text.find(sought, 0, line_end)
    while at >= 0 and len(found) < _TRIES:
        if at == 0 or at in passage.starts or not (text[at - 1].isalnum() and sought[0].isalnum()):
            found.append(at)
        at = text.find(sought, at + 1, line_end)
    if not found and line_end >= _LEAST:
        # Cut off inside the first literal.
        found = [at for at in passage.starts if sought.startswith(text[at:line_end])]
    return found


def _at(wording: Wording, passage: Passage, start: int) -> Match | None:
    body = passage.text[start:]
    head = "\n".join(body.split("\n", wording.lines)[: wording.lines])
    strict = start in passage.starts
    template = wording.template
    for text in (body, head) if head != body else (body,):
        captures = template.match(text)
        if captures is not None:
            share = _share(template, captures, len(text), start)
            return Match(captures, share, start, clean=strict, cut=False)
    match = _with_rest(template, head, start, strict)
    short = head.rstrip(" .\u2026")
    # A message ends early at the end of the paste, or where a report shortened it to "...".
    if match is None and (head == body.rstrip() or len(short) <= len(head) - 3):
        match = _cut(template, short, start, strict)
    return match


def _with_rest(template: Template, head: str, start: int, strict: bool) -> Match | None:
    """The wording with more text behind it on the same line."""
    if not isinstance(template.pieces[-1], str) and template.pieces[-1].type in {"str", "text"}:
        return None
    captures = Template("", [*template.pieces, _REST]).match(head)
    if captures is None:
        return None
    rest = str(captures.pop(_REST.name))
    ended = head[: len(head) - len(rest)]
    if rest[:1].isalnum() and ended[-1:].isalnum():
        return None
    share = _share(template, captures, len(head), start, rest)
    return Match(captures, share, start, clean=strict and _is_trivial(rest), cut=False)


def _is_trivial(rest: str) -> bool:
    """Whether what follows a message ends it: punctuation, a repeat count, or a new sentence."""
    bare = rest.strip(" .,;:!'\"`)]}>*\u2026")
    if bare.startswith(("(\u00d7", "(x")):
        return True
    return not any(character.isalnum() for character in bare)


def _cut(template: Template, head: str, start: int, strict: bool) -> Match | None:
    """The beginning of the wording, where the passage was cut off."""
    pieces = template.pieces
    whole = sum(len(piece) for piece in pieces if isinstance(piece, str))
    for position in range(len(pieces) - 1, -1, -1):
        piece = pieces[position]
        if not isinstance(piece, str):
            continue
        captures = Template("", [*pieces[:position], _REST]).match(head)
        if captures is None:
            continue
        rest = str(captures.pop(_REST.name))
        if piece.startswith(rest):
            known = sum(len(p) for p in pieces[:position] if isinstance(p, str)) + len(rest)
            if known < _LEAST:  # a leading placeholder alone takes any line
                return None
            share = known / whole * len(head) / (len(head) + start)
            return Match(captures, share, start, clean=strict, cut=True)
    return None


def _share(
    template: Template, captures: dict[str, Capture], length: int, start: int, rest: str = ""
) -> float:
    """Share of the passage that is not in free captures, before or behind the match."""
    types = {p.name: p.type for p in template.pieces if isinstance(p, Placeholder)}
    free = sum(len(str(value)) for name, value in captures.items() if types[name] in _FREE)
    whole = length + start
    return max(0.0, (length - free - len(rest)) / whole) if whole else 0.0
