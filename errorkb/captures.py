"""The types of placeholders: which text each takes, and the value that it becomes.

    int     -12                                  int
    float   0.5  1e-6  nan                       float
    word    no white space                       str
    name    an identifier, dots allowed          str
    shape   (1, 8)  [1, 8]  torch.Size([1, 8])   tuple of int
    dtype   torch.bfloat16  c10::Half            str
    device  cuda:0  cpu                          str
    size    2.00 GiB                             int, bytes
    path    any text on one line, not empty      str
    str     any text on one line                 str
    text    any text                             str

That `path` and `str` end with their line is the matcher's to see to.
"""

from __future__ import annotations

TYPE_CHECKING = False  # `typing` is not worth its import on the path of a lookup
if TYPE_CHECKING:
    from collections.abc import Callable

    Capture = str | int | float | tuple[int, ...]

_DIGITS = frozenset("0123456789")
_UNITS = {
    "bytes": 1,
    "byte": 1,
    "B": 1,
    "KiB": 1 << 10,
    "MiB": 1 << 20,
    "GiB": 1 << 30,
    "TiB": 1 << 40,
    "KB": 10**3,
    "MB": 10**6,
    "GB": 10**9,
    "TB": 10**12,
}


def _int(text: str) -> int | None:
    digits = text[1:] if text[:1] in {"-", "+"} else text
    return int(text) if digits and _DIGITS.issuperset(digits) else None


def _float(text: str) -> float | None:
    # float() also takes "1_0" and surrounding white space, which no message means as a number.
    if "_" in text or text != text.strip():
        return None
    try:
        return float(text)
    except ValueError:
        return None


def _name(text: str) -> str | None:
    return text if text and all(part.isidentifier() for part in text.split(".")) else None


def _word(text: str) -> str | None:
    return text if text and len(text.split()) == 1 and text == text.strip() else None


def _shape(text: str) -> tuple[int, ...] | None:
    inner = text
    if inner.startswith("torch.Size(") and inner.endswith(")"):
        inner = inner[len("torch.Size(") : -1]
    if inner[:1] + inner[-1:] not in {"()", "[]"} or len(inner) < 2:
        return None
    items = inner[1:-1].split(",")
    if not items[-1].strip():  # "(8,)" and "()"
        items.pop()
    sizes = [_int(item.strip()) for item in items]
    return None if None in sizes else tuple(size for size in sizes if size is not None)


def _dtype(text: str) -> str | None:
    bare = text.removeprefix("struct ").replace("::", ".")
    return text if _name(bare) else None


def _device(text: str) -> str | None:
    kind, colon, index = text.partition(":")
    if not kind.isidentifier() or (colon and _int(index) is None):
        return None
    return text


def _size(text: str) -> int | None:
    number, _, unit = text.partition(" ")
    value = _float(number)
    if value is None or unit not in _UNITS or not 0 <= value < 1e15:
        return None
    return round(value * _UNITS[unit])


def _path(text: str) -> str | None:
    return text if text.strip() else None


def _str(text: str) -> str | None:
    return text


class Type:
    """What a placeholder of one type takes.

    Attributes:
        value: what a text becomes; None where the type does not take it.
        longest: characters of the longest text that it may take.
    """

    __slots__ = ("longest", "value")

    def __init__(self, value: Callable[[str], Capture | None], longest: int) -> None:
        self.value = value
        self.longest = longest


TYPES = {
    "int": Type(_int, 40),
    "float": Type(_float, 40),
    "word": Type(_word, 4096),
    "name": Type(_name, 512),
    "shape": Type(_shape, 512),
    "dtype": Type(_dtype, 128),
    "device": Type(_device, 64),
    "size": Type(_size, 64),
    "path": Type(_path, 4096),
    "str": Type(_str, 1 << 30),
    "text": Type(_str, 1 << 30),
}
FREE = frozenset({"str", "text"})
"""Types that take whatever stands there, so that the first place to end is as good as any."""


def written(value: Capture, type_: str) -> str:
    """A value as a message has it; the inverse of `Type.value`."""
    if type_ == "size":
        return f"{value} bytes"
    if isinstance(value, tuple):
        return repr(value)
    return str(value)
