"""What loggers, launchers and containers put before a line.

Recognised token by token from the left, by hand-written rules rather than one pattern, because
prefixes nest: `0000-steps/0 [default6]:[rank6]: ERROR 04-01 23:46:56 [engine.py:160] ValueError…`.
"""

from __future__ import annotations

LEVELS = frozenset(
    ["TRACE", "DEBUG", "INFO", "NOTICE", "WARN", "WARNING", "ERROR", "CRITICAL", "FATAL", "SEVERE"]
)
_MONTHS = frozenset(
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
)
_DAYS = frozenset(["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"])
_CLOCK = frozenset("0123456789-:/.,TZ+")
_DIGITS = frozenset("0123456789")
_SIGNS = frozenset("|>*`-\u2013\u2014:\u2502\u2503\u2551")
_SOURCES = (".py:", ".cc:", ".cpp:", ".cu:", ".cuh:", ".h:", ".rs:", ".go:")
_REACH = 160
"""Characters in which a prefix must end; a longer one is not a prefix."""


class Prefix:
    """The prefix of a line.

    Attributes:
        end: where the line's own text begins.
        starts: where it could begin too, if a token taken for prefix belongs to the message.
        process: which process wrote it, as far as the prefix says; "" when it does not.
        origin: level and source file, the same for all lines of one log record.
        dated: whether a time stands in it, which begins a new log record.
    """

    __slots__ = ("dated", "end", "origin", "process", "starts")

    def __init__(self) -> None:
        self.end = 0
        self.starts: list[int] = [0]
        self.process = ""
        self.origin = ""
        self.dated = False


def split_prefix(text: str) -> Prefix:
    """Find the prefix of a cleaned line."""
    prefix = Prefix()
    position = 0
    while position < min(len(text), _REACH):
        start = position
        while start < len(text) and text[start] == " ":
            start += 1
        end = _token(text, start, prefix)
        if end <= start:
            break
        position = end
        prefix.starts.append(_skip_space(text, end))
        # Exactly one space separates; more is the line's own indentation.
        position += text[position : position + 1] == " "
        prefix.end = position
    return prefix


def _skip_space(text: str, position: int) -> int:
    while position < len(text) and text[position] == " ":
        position += 1
    return position


def _token(text: str, start: int, prefix: Prefix) -> int:
    """End of the prefix token at `start`, or `start` when the line's own text is there."""
    first = text[start : start + 1]
    if not first:
        return start
    if first == "[":
        return _bracket(text, start, prefix)
    if first == "(":
        return _parenthesis(text, start, prefix)
    end = text.find(" ", start)
    end = len(text) if end < 0 else end
    word = text[start:end]
    if first in _SIGNS and len(word) == 1 and (prefix.end or first in ">|`\u2502\u2503\u2551"):
        return end
    if first == "`" and word[1:2] in {"[", "("}:
        return start + 1
    return _word(text, start, end, word, prefix)


def _bracket(text: str, start: int, prefix: Prefix) -> int:
    end = text.find("]", start, start + _REACH)
    if end < 0 or text[end + 1 : end + 2] == "(":  # a link, [path](address)
        return start
    inside = text[start + 1 : end]
    after = end + 1 + (text[end + 1 : end + 2] == ":")
    if (
        after == end + 1
        and not _DIGITS.isdisjoint(inside)
        and _DIGITS.issuperset(inside.replace(",", "").replace(" ", ""))
    ):
        # "[1, 8] is …" is a shape and "[3]path" an IPython line number.
        return start
    words = inside.replace("|", " ").replace(":", " ").split()
    if not words or (_DIGITS.isdisjoint(inside) and not LEVELS.intersection(words)):
        named = text[end + 1 : end + 2] in {":", " ", ""} and prefix.end > 0
        return after if named and words and len(words) == 1 else start
    lowered = inside.lower()
    parts = inside.replace("|", " ").split()
    if any(mark in lowered for mark in ("rank", "default", "worker", "pid")):
        # With its time every line would be a process of its own.
        prefix.process += f"[{' '.join(part for part in parts if not _is_clock(part))}]"
    else:
        for word in words:
            if word[:2] in {"TP", "DP", "PP", "EP"} and word[2:3].isdigit():
                prefix.process += word
    if any(_is_clock(part) for part in parts):
        prefix.dated = True
    elif any(source in inside for source in _SOURCES):
        prefix.origin += inside
    return after


def _parenthesis(text: str, start: int, prefix: Prefix) -> int:
    end = text.find(")", start, start + _REACH)
    if end < 0:
        return start
    inside = text[start + 1 : end]
    if "pid=" in inside or (inside.isidentifier() and text[end + 1 : end + 2] == " "):
        prefix.process += inside
        return end + 1
    return start


def _word(text: str, start: int, end: int, word: str, prefix: Prefix) -> int:
    """A token that ends at a space (or, after a level, at a colon)."""
    level = word.rpartition("/")[2].rstrip(":")
    if level in LEVELS:
        prefix.origin += level
        return end
    head, colon, _ = word.partition(":")
    if colon and head in LEVELS:  # logging's BASIC_FORMAT, LEVEL:logger:message
        prefix.origin += head
        logger = text.find(":", start + len(head) + 1, start + _REACH)
        name = text[start + len(head) + 1 : logger]
        bare = name.replace(".", "").replace("_", "")
        return logger + 1 if logger > 0 and bare.isalnum() else start + len(head) + 1
    if _is_clock(word):
        prefix.dated = True
        return end
    if word in _MONTHS or word in _DAYS:
        following = text[end + 1 : end + 4]
        date = following[:2].strip().isdigit() or following in _MONTHS
        prefix.dated = prefix.dated or date
        return end if date else start
    return _rest(text, start, end, word, prefix)


def _rest(text: str, start: int, end: int, word: str, prefix: Prefix) -> int:
    if len(word) == 5 and word[0] in "EWIFDC" and word[1:].isdigit():  # glog: E0519
        prefix.origin += word[0]
        prefix.dated = True
    elif word.endswith("]") and any(source in word for source in _SOURCES):
        prefix.origin += word
    elif (prefix.dated and _is_process(word)) or (
        # srun --label
        start == 0 and word.endswith(":") and word[:-1].isdigit()
    ):
        prefix.process += word
    elif (
        not prefix.dated
        or not (
            word.isdigit()  # a process number, or a day of the month
            or word in {"stderr", "stdout"}
            or text[end : end + 3] in {" - ", " | "}  # the logger's name
        )
    ):
        return _launcher(text, start, end, word, prefix)
    return end


def _is_process(word: str) -> bool:
    """`python[123]:`, as syslog has it."""
    return word.endswith("]:") and word[:-2].rpartition("[")[2].isdigit()


def _launcher(text: str, start: int, end: int, word: str, prefix: Prefix) -> int:
    """`service-1  | …` of compose, `0000-steps/0 [default6]:[rank6]: …`, `host python[12]: …`."""
    following = _skip_space(text, end)
    if text[following : following + 2] == "| " and start == 0 and not word.endswith(":"):
        prefix.process += word
        return following + 1
    if start == 0:
        rank = text.find("[", end, end + 2)
        if rank >= 0 and text[rank + 1 : rank + 8].lower().startswith(("rank", "default")):
            return end
    host = prefix.dated and word.replace("-", "").replace(".", "").isalnum()
    if host and _is_process(text[following : following + 80].split(" ", 1)[0]):
        return end
    return start


def _is_clock(word: str) -> bool:
    return (
        _CLOCK.issuperset(word)
        and sum(character in _DIGITS for character in word) >= 4
        and any(mark in word for mark in ":-/")
    )
