"""Traceback frames in the forms that Python, IPython, pytest and rich print."""

from __future__ import annotations


def frame_of(text: str) -> tuple[str, str] | None:
    """Read a frame line.

    Args:
        text: a line without prefix and indentation.

    Returns:
        (file with forward slashes, function or "" where it is not printed), or None.
    """
    if text.startswith('File "'):
        return _python(text)
    if text.startswith("File ") and ":" in text:
        return _ipython(text[5:])
    if ".py" in text:
        return _short(text)
    if text.startswith(("Cell In[", "Input In [", "<ipython-input-")):
        return ("<notebook>", _function(text.partition(" in ")[2]))
    return None


def is_source(body: str, *, in_traceback: bool) -> bool:
    """Whether a line (without prefix) is a source excerpt or the markers under one."""
    bare = body.strip()
    if bare and not bare.strip("^~ "):
        return True
    if bare.startswith(("-->", "--->", "---->", "\u276f", "\u2771", "... <", "[Previous line")):
        return True
    if in_traceback and body.startswith("    "):
        return True
    number = bare.split(" ", 1)[0]
    return in_traceback and number.isdigit()


def _python(text: str) -> tuple[str, str] | None:
    end = text.find('"', 6)
    if end < 0:
        return (_path(text[6:]), "")
    rest = text[end + 1 :]
    # faulthandler prints `line 3 in f`, without the comma.
    function = rest.partition(", in " if ", in " in rest else " in ")[2]
    return (_path(text[6:end]), _function(function))


def _ipython(text: str) -> tuple[str, str] | None:
    path, comma, function = text.partition(", in ")
    if not comma:
        path, comma, function = text.partition(" in ")
    file, colon, line = path.rpartition(":")
    if not comma or not colon or not line.isdigit():
        return None
    return (_path(file), _function(function))


def _short(text: str) -> tuple[str, str] | None:
    """`a/b.py:8: in f` (pytest), `a/b.py:8 in f` (rich), `a/b.py in f(x)` (old IPython)."""
    places = [at for at in (text.find(end) for end in (".py:", ".py](", ".py in ")) if at >= 0]
    if not places:
        return None
    file, rest = text[: min(places) + 3], text[min(places) + 3 :]
    file = file.lstrip("\u276f[")
    if " " in file and file[1:3] != ":\\":
        return None
    if rest.startswith("]("):  # a notebook's link: [path](address) in f(x)
        rest = rest.partition(")")[2]
    line = ""
    if rest.startswith(":"):
        line = rest[1:].split(":")[0].split(" ")[0]
        if not line.isdigit():
            return None
        rest = rest[1 + len(line) :]
    rest = rest.removeprefix(":").strip()
    if rest.startswith("in "):
        return (_path(file), _function(rest[3:]))
    # The last line of a long pytest report: a/b.py:1009: AssertionError
    if line and rest.isidentifier():
        return (_path(file), "")
    return None


def _path(text: str) -> str:
    return text.replace("\\", "/").replace("//", "/")


def _function(text: str) -> str:
    name = text.strip().split("(", 1)[0].split(" ", 1)[0]
    return name.rpartition(".")[2] if not name.startswith("<") else name
