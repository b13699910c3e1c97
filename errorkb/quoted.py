"""Exceptions as they are written: at a line's start, inside a line, quoted in another's message."""

from __future__ import annotations

_SUFFIXES = (
    "Error",
    "ErrorImpl",
    "Exception",
    "ExceptionGroup",
    "Failed",
    "Failure",
    "Interrupt",
    "OutOfResources",
    "OutOfMemory",
    "Timeout",
    "TimeoutExpired",
    "StopIteration",
    "Unsupported",
    "UnsupportedLanguageConstruct",
    "Warning",
    "Exit",
)
_NOT_CLASSES = frozenset(["Error", "Warning", "Exit", "Failed", "Timeout", "Failure"])
_IN_LINE = ("Error: ", "Exception: ", "Failed: ", "OutOfResources: ", "Error('", 'Error("')
_QUOTE_AFTER = ("error ", "error: ", "exception: ", "exception ", "reason: ", "failed: ", "raised ")
_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.")
_NESTING = 6

Head = tuple[str | None, str]


def headline(text: str, *, known_only: bool) -> Head | None:
    """Read `Class: message`, `Class` or `Class("message")`.

    Args:
        text: begins with the class; may span lines.
        known_only: whether only names that end like an exception's are classes.

    Returns:
        (class as printed, message), or None.
    """
    if text.startswith("what():"):  # of an uncaught C++ exception
        return (None, text[7:].strip())
    end = _name_end(text)
    name, rest = text[:end], text[end:]
    if not name or name[0].isdigit() or name.endswith("."):
        return None
    known = is_class(name)
    head: Head | None = None
    if rest[:1] == "(" and known:
        message = _argument(rest)
        head = None if message is None else (name, message)
    elif known or (not known_only and _could_be_class(name)):
        if rest[:1] == ":" and rest[1:2] in {"", " ", "\n"}:
            head = (name, rest[1:].removeprefix(" ").rstrip())
        elif not rest and (known or "." in name):
            head = (name, "")
    return head


def embedded(text: str) -> Head | None:
    """Find `Class: message` or `Class("message")` inside a line, the leftmost one."""
    places = []
    for mark in _IN_LINE:
        at = text.find(mark)
        while at >= 0:
            end = at + len(mark) - 2
            start = end
            while start > 0 and text[start - 1] in _NAME:
                start -= 1
            if start < end and is_class(text[start:end]) and _free_standing(text, start):
                places.append(start)
                break
            at = text.find(mark, at + 1)
    for start in sorted(places):
        head = headline(text[start:], known_only=True)
        if head is not None:
            return head
    return None


def inside(message: str) -> list[Head]:
    """Exceptions inside a message, outer ones first."""
    found: list[Head] = []
    while len(found) < _NESTING:
        inner = _inner(message)
        if inner is None or inner[1] == message:
            break
        found.append(inner)
        message = inner[1]
    return found


def is_class(name: str) -> bool:
    """Whether a dotted name ends like the name of an exception class."""
    last = name.rpartition(".")[2]
    return last.endswith(_SUFFIXES) and last not in _NOT_CLASSES and last[0] in _CAPITALS


def is_compile_error(cls: str | None, message: str) -> bool:
    """Whether the message begins with Triton's `at LINE:COLUMN:` and a source excerpt."""
    if not message.startswith("at ") or not is_class(cls or ""):
        return False
    line, _, rest = message[3:].partition(":")
    return line.isdigit() and rest.partition(":")[0].isdigit()


_CAPITALS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ_")


def _inner(message: str) -> Head | None:
    head = headline(message, known_only=True)
    if head is not None:
        return head
    first = message.split("\n", 1)[0]
    head = embedded(first)
    if head is not None:
        return (head[0], head[1] + message[len(first) :]) if first.endswith(head[1]) else head
    return _quoted(message)


def _quoted(message: str) -> Head | None:
    """`Worker failed with error '…'`: the bare message between the quotes."""
    lowered = message.lower()
    for before in _QUOTE_AFTER:
        for quote in "'\"":
            at = lowered.find(before + quote)
            if at < 0:
                continue
            start = at + len(before) + 1
            end = message.rfind(quote, start)
            text = unescaped(message[start : end if end > start else len(message)])
            if len(text) >= 12:
                return (None, text)
    return None


def _argument(rest: str) -> str | None:
    """The first argument of `("…")`, unescaped; to the end when the text was cut off."""
    quote = rest[1:2]
    if quote not in {"'", '"'}:
        return "" if rest.startswith("()") else None
    position = 2
    while position < len(rest) and rest[position] != quote:
        position += 2 if rest[position] == "\\" else 1
    after = rest[position + 1 : position + 2]
    if position < len(rest) and after not in {")", ",", ""}:
        return None
    return unescaped(rest[2:position])


def without_escapes(message: str) -> str:
    """A message whose quotes were escaped on the way, in JSON or a repr, as it was printed."""
    if "\\" not in message:
        return message
    return message.replace("\\'", "'").replace('\\"', '"')


def unescaped(text: str) -> str:
    """Undo the escapes of a Python string literal that occur in messages."""
    if "\\" not in text:
        return text
    parts = []
    position = 0
    while (at := text.find("\\", position)) >= 0:
        parts.append(text[position:at])
        following = text[at + 1 : at + 2]
        parts.append({"n": "\n", "t": "\t", "'": "'", '"': '"', "\\": "\\"}.get(following, "\\"))
        position = at + (2 if following in set("nt'\"\\") and following else 1)
    parts.append(text[position:])
    return "".join(parts)


def _free_standing(text: str, start: int) -> bool:
    """Whether a class name inside a line is said, not raised or caught by a line of source."""
    before = text[:start].rstrip()
    return not before.endswith(("raise", "except", "isinstance(", ",", "=", "class"))


def _could_be_class(name: str) -> bool:
    last = name.rpartition(".")[2]
    return bool(last) and last[0] in _CAPITALS and not last.isupper()


def _name_end(text: str) -> int:
    end = 0
    while end < len(text) and text[end] in _NAME:
        end += 1
    return end
