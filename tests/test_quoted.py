"""Exceptions at a line's start, inside a line, and inside another's message."""

from __future__ import annotations

import pytest

from errorkb.quoted import embedded, headline, inside, is_class, is_compile_error, unescaped


@pytest.mark.parametrize(
    ("text", "head"),
    [
        ("ValueError: no slot", ("ValueError", "no slot")),
        ("a.b.PoolError: no: slot", ("a.b.PoolError", "no: slot")),
        ("KeyboardInterrupt", ("KeyboardInterrupt", "")),
        ("a.b.PoolError:", ("a.b.PoolError", "")),
        ("ValueError(\"no 'slot'\")", ("ValueError", "no 'slot'")),
        ("ValueError('it\\'s\\n2')", ("ValueError", "it's\n2")),
        ("ValueError('one', 2)", ("ValueError", "one")),
        ("what():  bad slot", (None, "bad slot")),
        ("error: command failed", None),
        ("Note: this", None),
        ("ERROR: this", None),
        ("ValueError is raised", None),
        ("x.ValueError = 3", None),
        ("ValueError(3)", None),
        ("3Error: x", None),
    ],
)
def test_headline(text: str, head: tuple[str | None, str] | None) -> None:
    assert headline(text, known_only=True) == head


def test_below_frames_any_capitalised_name_is_a_class() -> None:
    assert headline("a.b.Stuck: x", known_only=False) == ("a.b.Stuck", "x")
    assert headline("a.b.Stuck: x", known_only=True) is None
    assert headline("result: x", known_only=False) is None


@pytest.mark.parametrize(
    ("text", "head"),
    [
        ("run() ValueError: no slot", ("ValueError", "no slot")),
        ("got RuntimeError('no slot')", ("RuntimeError", "no slot")),
        ("raise ValueError: x", None),
        ("    raise ValueError('x')", None),
        ("except (KeyError, ValueError): pass", None),
        ("no exception here", None),
    ],
)
def test_embedded(text: str, head: tuple[str, str] | None) -> None:
    assert embedded(text) == head


def test_inside_goes_down_to_the_innermost() -> None:
    message = "InterpreterError('ValueError(\"worker: error \\'pool is quite empty\\'\")')"
    assert [head[1] for head in inside(message)][-1] == "pool is quite empty"


def test_inside_stops() -> None:
    assert len(inside("ValueError: " * 1000)) <= 6


@pytest.mark.parametrize(("name", "known"), [("a.B_Error", True), ("Error", False), ("a.b", False)])
def test_is_class(name: str, known: bool) -> None:
    assert is_class(name) is known


@pytest.mark.parametrize(
    ("cls", "message", "compiled"),
    [
        ("a.CompilationError", "at 7:14:\n  x", True),
        ("ValueError", "at 7 o'clock", False),
        ("a.CompilationError", "bad", False),
        (None, "at 7:14:", False),
    ],
)
def test_is_compile_error(cls: str | None, message: str, compiled: bool) -> None:
    assert is_compile_error(cls, message) is compiled


def test_unescaped_leaves_windows_paths_alone() -> None:
    assert unescaped(r"C:\dir\q and \\x") == r"C:\dir\q and \x"
