"""Message templates with named, typed placeholders, and the matcher for them.

A template is the text of a message in which `{name:type}` stands for what varies; `{{` and `}}`
are braces. The types are those of `errorkb.captures`.

A match is anchored at both ends. Literals are found by plain string search, nothing is compiled
from data, and the number of attempts is bounded, so no template or message can stall it.
"""

from __future__ import annotations

from errorkb.captures import FREE, TYPES, written
from errorkb.errors import UsageError

TYPE_CHECKING = False  # `typing` is not worth its import on the path of a lookup
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from errorkb.captures import Capture

ATTEMPTS = 5_000
"""How many positions one match may try. Real messages need fewer than a hundred."""


class Placeholder:
    """`{name:type}`; `type` is empty in a template that was derived from an f-string."""

    __slots__ = ("name", "type")

    def __init__(self, name: str, type_: str) -> None:
        self.name = name
        self.type = type_


class Template:
    """A parsed template: literals (`str`) and placeholders in order, no two literals adjacent."""

    __slots__ = ("_repeats", "pieces", "text")

    def __init__(self, text: str, pieces: list[str | Placeholder]) -> None:
        self.text = text
        self.pieces = pieces
        names = [piece.name for piece in pieces if isinstance(piece, Placeholder)]
        self._repeats = len(names) != len(set(names))

    @classmethod
    def parse(cls, text: str, *, typed: bool = True) -> Template:
        """Parse a template.

        Args:
            text: the template.
            typed: whether every placeholder must have a type; templates derived from the source
                of a raise site have none.

        Raises:
            UsageError: an unclosed or stray brace, a bad name, a missing or unknown type, one
                name with two types, or a template without any literal text.
        """
        pieces = _parse_pieces(text, typed)
        types: dict[str, str] = {}
        for piece in pieces:
            if not isinstance(piece, Placeholder):
                continue
            if types.setdefault(piece.name, piece.type) != piece.type:
                raise UsageError(
                    f"template {_shown(text)} gives {{{piece.name}}} two types, "
                    f"{types[piece.name]} and {piece.type}; use one name for one type"
                )
        if typed and not any(isinstance(piece, str) and piece.strip() for piece in pieces):
            raise UsageError(f"template {_shown(text)} has no literal text, so it matches anything")
        return cls(text, pieces)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the placeholders, in order of first appearance."""
        return tuple(dict.fromkeys(p.name for p in self.pieces if isinstance(p, Placeholder)))

    @property
    def literals(self) -> tuple[str, ...]:
        """The literal pieces, in order."""
        return tuple(piece for piece in self.pieces if isinstance(piece, str))

    def match(self, message: str) -> dict[str, Capture] | None:
        """Match a whole message, trailing white space aside.

        Returns:
            The captured values by name, converted as the module describes, or None.
        """
        pieces = self.pieces
        bare = message.rstrip()
        if not pieces:
            return None if bare else {}
        if isinstance(pieces[-1], str) and pieces[-1] != pieces[-1].rstrip():
            pieces = [*pieces[:-1], pieces[-1].rstrip()]
        values = _match(pieces, bare, self._repeats)
        if values is None and len(bare) < len(message):
            # "got {x:str}" of "got ": the white space belongs to the literal.
            values = _match(pieces, message, self._repeats)
        return values

    def render(self, values: Mapping[str, Capture]) -> str:
        """Write the message that has these values; the inverse of `match`.

        Raises:
            KeyError: a placeholder has no value.
        """
        return "".join(
            piece if isinstance(piece, str) else written(values[piece.name], piece.type)
            for piece in self.pieces
        )


def same_wording(derived: str, recorded: str) -> bool:
    """Whether two templates have the same literals and names, types aside.

    Args:
        derived: from the f-string of a raise site; its placeholders have no types.
        recorded: from a record.

    Raises:
        UsageError: one of them does not parse.
    """
    left, right = (Template.parse(text, typed=False).pieces for text in (derived, recorded))
    return [p if isinstance(p, str) else (p.name,) for p in left] == [
        p if isinstance(p, str) else (p.name,) for p in right
    ]


def _match(
    pieces: list[str | Placeholder], message: str, repeats: bool
) -> dict[str, Capture] | None:
    first, last = pieces[0], pieces[-1]
    if isinstance(first, str) and not message.startswith(first):
        return None
    if isinstance(last, str) and not message.endswith(last):
        return None
    return _Matcher(pieces, message, repeats=repeats).run()


def _parse_pieces(text: str, typed: bool) -> list[str | Placeholder]:
    pieces: list[str | Placeholder] = []
    literal = ""
    position = 0
    while position < len(text):
        character = text[position]
        if character not in "{}":
            following = [i for i in (text.find("{", position), text.find("}", position)) if i >= 0]
            end = min(following, default=len(text))
            literal += text[position:end]
            position = end
        elif text[position : position + 2] in {"{{", "}}"}:
            literal += character
            position += 2
        elif character == "}":
            raise UsageError(f"template {_shown(text)} has a stray '}}'; write '}}}}' for a brace")
        else:
            end = text.find("}", position)
            if end < 0:
                raise UsageError(
                    f"template {_shown(text)} has an unclosed '{{'; write '{{{{' for a brace"
                )
            if literal:
                pieces.append(literal)
                literal = ""
            pieces.append(_placeholder(text[position + 1 : end], text, typed))
            position = end + 1
    if literal:
        pieces.append(literal)
    return pieces


def _placeholder(inside: str, text: str, typed: bool) -> Placeholder:
    name, _, type_ = inside.partition(":")
    if not name.isidentifier():
        raise UsageError(
            f"template {_shown(text)} has the placeholder {{{inside}}}; write {{name:type}} "
            "with a plain name"
        )
    if type_ and type_ not in TYPES:
        raise UsageError(
            f"template {_shown(text)} uses the unknown type '{type_}'; "
            f"the types are {', '.join(TYPES)}"
        )
    if typed and not type_:
        raise UsageError(
            f"template {_shown(text)} has {{{name}}} without a type; write {{{name}:int}} or "
            f"another of {', '.join(TYPES)}"
        )
    return Placeholder(name, type_)


def _shown(text: str) -> str:
    return repr(text if len(text) <= 80 else text[:77] + "...")


class _Matcher:
    """One match: depth first over the pieces, each failed position tried once."""

    __slots__ = ("attempts", "dead", "dead_from", "message", "pieces", "repeats", "values")

    def __init__(self, pieces: list[str | Placeholder], message: str, *, repeats: bool) -> None:
        self.pieces = pieces
        self.message = message
        self.repeats = repeats
        self.values: dict[str, Capture | slice] = {}
        self.attempts = ATTEMPTS
        # Failures do not depend on how a position was reached, unless a repeated name ties it to
        # an earlier value; then nothing is remembered.
        self.dead: set[tuple[int, int]] = set()
        self.dead_from: dict[int, tuple[int, int]] = {}

    def run(self) -> dict[str, Capture] | None:
        if not self._match(0, 0):
            return None
        return {
            name: self.message[value] if isinstance(value, slice) else value
            for name, value in self.values.items()
        }

    def _match(self, index: int, start: int) -> bool:
        """Match the pieces from `index` on at `start`."""
        if index == len(self.pieces):
            return start == len(self.message)
        piece = self.pieces[index]
        if isinstance(piece, str):
            after = start + len(piece)
            return self.message.startswith(piece, start) and self._match(index + 1, after)
        if (index, start) in self.dead or self._known_dead(index, start):
            return False
        type_ = piece.type or "text"
        limit = min(len(self.message), start + TYPES[type_].longest)
        if type_ != "text":
            line_end = self.message.find("\n", start, limit)
            limit = limit if line_end < 0 else line_end
        for end in self._ends(index, start, limit):
            self.attempts -= 1
            if self.attempts < 0:
                return False
            if self._accept(piece.name, type_, index, slice(start, end)):
                return True
        if not self.repeats:
            self.dead.add((index, start))
            if type_ in FREE:
                self.dead_from[index] = (start, limit)
        return False

    def _known_dead(self, index: int, start: int) -> bool:
        """A free placeholder that failed from an earlier start in the same reach fails here too."""
        first, limit = self.dead_from.get(index, (0, -1))
        return first <= start <= limit

    def _accept(self, name: str, type_: str, index: int, span: slice) -> bool:
        value: Capture | slice | None = span
        if self.repeats or type_ not in FREE:
            # Free text is cut out once, at the end: cutting it at every attempt would be quadratic.
            self.attempts -= (span.stop - span.start) >> 10
            value = TYPES[type_].value(self.message[span])
        if value is None:
            return False
        known = self.values.get(name)
        if known is not None and known != value:
            return False
        self.values[name] = value
        if self._match(index + 1, span.stop):
            return True
        if known is None:
            del self.values[name]
        return False

    def _ends(self, index: int, start: int, limit: int) -> Iterator[int]:
        """Where the placeholder at `index` may end: where the next literal stands, in order."""
        following = self.pieces[index + 1] if index + 1 < len(self.pieces) else None
        if following is None:
            if limit == len(self.message):
                yield limit
        elif isinstance(following, str):
            if index + 2 == len(self.pieces):
                end = len(self.message) - len(following)
                if start <= end <= limit:
                    yield end
                return
            end = self.message.find(following, start, limit + len(following))
            while end >= 0:
                yield end
                end = self.message.find(following, end + 1, limit + len(following))
        else:
            yield from range(limit, start - 1, -1)
