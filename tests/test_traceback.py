"""One clean traceback in every wrapping that people paste, and text that is none."""

from __future__ import annotations

import io
import string
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wrapped import (
    CLEAN,
    CLS,
    DIRECT,
    DURING,
    FRAMES,
    GROUP,
    MESSAGE,
    PYTEST,
    WRAPPED,
    chained,
    each_line,
)

from errorkb.errors import UsageError
from errorkb.paste import read
from errorkb.traceback import CAUSE, LAST, ONLY, WRAPPER, parse


@pytest.mark.parametrize("name", WRAPPED)
def test_the_exception_is_found_in(name: str) -> None:
    report = parse(WRAPPED[name])
    found = [(raised.cls, raised.message.split("\n")[0].strip()) for raised in report.exceptions]
    assert (CLS, MESSAGE) in found


@pytest.mark.parametrize(
    "name",
    [
        "clean",
        "rank",
        "nested prefixes",
        "process",
        "compose",
        "syslog",
        "glog",
        "json line",
        "ansi",
    ],
)
def test_the_frames_are_found_in(name: str) -> None:
    (raised,) = parse(WRAPPED[name]).exceptions
    assert raised.frames == FRAMES
    assert raised.role == ONLY


@pytest.mark.parametrize("name", ["ipython", "rich", "pytest"])
def test_the_raising_function_is_found_in(name: str) -> None:
    raised = next(r for r in parse(WRAPPED[name]).exceptions if r.message == MESSAGE)
    files = [file.rpartition("/")[2] for file, _ in raised.frames]
    assert "pool.py" in files


def test_windows_paths_have_forward_slashes() -> None:
    (raised,) = parse(WRAPPED["windows"]).exceptions
    assert raised.frames[-1] == ("C:/Users/Some One/app/pool.py", "step")


@pytest.mark.parametrize("link", [DIRECT, DURING])
def test_the_first_of_a_chain_is_its_root(link: str) -> None:
    first, last = parse(chained(link)).exceptions
    assert (first.cls, first.role, first.depth) == (CLS, CAUSE, 0)
    assert (last.message, last.role, last.depth) == ("step failed", LAST, 1)


def test_a_chain_of_three_has_a_wrapper_between() -> None:
    text = chained(DIRECT) + f"\n{DURING}\n\n" + CLEAN.replace(CLS, "OSError")
    assert [raised.role for raised in parse(text).exceptions] == [CAUSE, WRAPPER, LAST]


def test_the_members_of_a_group_lie_below_it() -> None:
    group, first, second = parse(GROUP).exceptions
    assert group.cls == "ExceptionGroup"
    assert group.role == LAST
    assert (first.cls, first.role) == (CLS, CAUSE)
    assert second.message == "no tick"


def test_line_numbers_are_those_of_the_paste() -> None:
    (raised,) = parse(f"one\ntwo\n{CLEAN}").exceptions
    assert raised.line == 2 + len(CLEAN.splitlines())
    (raised,) = parse(WRAPPED["json line"]).exceptions
    assert raised.line == 1


def test_ranks_that_interleave_are_told_apart() -> None:
    other = CLEAN.replace(CLS, "ValueError").replace(MESSAGE, "no slot")
    lines = zip(CLEAN.splitlines(), other.splitlines(), strict=True)
    text = "".join(f"[rank0]: {one}\n[rank1]: {two}\n" for one, two in lines)
    assert [(r.cls, r.message, r.frames) for r in parse(text).exceptions] == [
        (CLS, MESSAGE, FRAMES),
        ("ValueError", "no slot", FRAMES),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('InterpreterError: ValueError("no \\"x\\"")', ["InterpreterError", 'ValueError/no "x"']),
        (
            "InterpreterError: InterpreterError('ValueError(\"deep down\")')",
            ["InterpreterError", "InterpreterError", "ValueError/deep down"],
        ),
        ("RuntimeError: Worker failed with error 'pool is empty now'", ["None/pool is empty now"]),
        ("Exception: capture failed: ValueError: no slot", ["Exception", "ValueError/no slot"]),
        ("ValueError('cut off in the mid", ["ValueError/cut off in the mid"]),
        ("AssertionError()", ["AssertionError/"]),
        ("KeyError: ('a', 1)", ["KeyError/('a', 1)"]),
    ],
)
def test_exceptions_inside_exceptions(text: str, expected: list[str]) -> None:
    found = [f"{raised.cls}/{raised.message}" for raised in parse(text).exceptions]
    for each in expected:
        assert each in found or any(one.startswith(f"{each}/") for one in found)


def test_the_innermost_is_the_root() -> None:
    raised = parse("InterpreterError: InterpreterError('ValueError(\"deep\")')").exceptions
    assert [r.message for r in raised if r.depth == 0] == ["deep"]


ASSERTION = """\
Traceback (most recent call last):
  File "/srv/job.py", line 3, in <module>
    assert normalise(x, weight).isfinite().all()
           ^^^^^^^^^^^^^^^^^^^^
  File "/srv/norm.py", line 8, in normalise
{excerpt}AssertionError{message}
"""


@pytest.mark.parametrize(
    ("excerpt", "message", "expected"),
    [
        ("    assert weight.shape == (D,)\n", "", "assert weight.shape == (D,)"),
        ("----> 8     assert weight.shape == (D,)\n", "", "assert weight.shape == (D,)"),
        ("    assert weight.shape == (D,), D\n", ": 64", "64"),
        ("    check(weight)\n", "", ""),
        ("", "", ""),
    ],
)
def test_an_assertion_without_a_message_is_its_statement(
    excerpt: str, message: str, expected: str
) -> None:
    (raised,) = parse(ASSERTION.format(excerpt=excerpt, message=message)).exceptions
    assert (raised.cls, raised.message) == ("AssertionError", expected)


COMPILED = """\
triton.compiler.errors.CompilationError: at 7:14:
    offsets = tl.arange(0, BLOCK)

    x = tl.load(pointer + offsets)
    y = tl.dot(x, x)
              ^
{last}
"""


@pytest.mark.parametrize(
    ("last", "cls", "message"),
    [
        ("AssertionError('both must be 2D')", "AssertionError", "both must be 2D"),
        ("ValueError: both must be 2D", "ValueError", "both must be 2D"),
        ("both must be 2D, {not} one", None, "both must be 2D, {not} one"),
    ],
)
@pytest.mark.parametrize("prefix", ["", "[rank0]: ", "E       ", "ERROR 04-01 23:46:56 [a.py:1] "])
def test_a_compile_error_says_what_follows_its_excerpt(
    prefix: str, last: str, cls: str | None, message: str
) -> None:
    text = each_line(COMPILED.format(last=last), lambda _, line: prefix + line)
    outer, inner = parse(text).exceptions
    assert (outer.cls, outer.role) == ("triton.compiler.errors.CompilationError", LAST)
    assert (inner.cls, inner.message, inner.role) == (cls, message, CAUSE)
    assert inner.line == 7


def test_a_message_may_span_lines() -> None:
    text = f"{CLEAN}second line\n\n  fourth\n\nTraceback (most recent call last):\n"
    (raised,) = parse(text).exceptions
    assert raised.message == f"{MESSAGE}\nsecond line\n\n  fourth"


def test_a_native_stack_is_not_part_of_the_message() -> None:
    text = f"{CLEAN}more\nException raised from f at a.cpp:43\nframe #0: b\n"
    assert parse(text).exceptions[0].message == f"{MESSAGE}\nmore"


def test_a_new_log_record_ends_a_message() -> None:
    text = (
        "ERROR 05-07 05:58:46 core.py:291] ValueError: no slot\n"
        "CRITICAL 05-07 05:58:46 client.py:191] shutting down\n"
    )
    assert parse(text).exceptions[0].message == "no slot"


def test_notes_that_name_a_record_are_recognised() -> None:
    text = f"{CLEAN}got (4, 7)\nFor the cause and a tested fix: errorkb explain EKB0001\n"
    (raised,) = parse(text).exceptions
    assert (raised.message, raised.code) == (MESSAGE, "EKB0001")


def test_source_is_no_exception() -> None:
    text = '  File "a.py", line 1, in f\n    raise ValueError("no slot")\n'
    assert parse(text).exceptions == []


def test_what_belongs_to_no_exception_is_kept_as_lines() -> None:
    report = parse(f"/usr/bin/ld: cannot find -lcuda\n{CLEAN}")
    assert [line.body for line in report.lines] == ["/usr/bin/ld: cannot find -lcuda"]


HOSTILE = {
    "braces": "{" * 300_000,
    "brackets": "[" * 300_000,
    "nested repr": "ValueError('" * 30_000,
    "escapes": "\\" * 500_000,
    "quotes": "'\"" * 200_000,
    "colons": "a: " * 200_000,
    "errors": "Error: " * 100_000,
    "classes": "ValueError: " * 60_000,
    "headers": "Traceback (most recent call last):\n" * 20_000,
    "pipes": "|" * 300_000,
    "frames": '  File "a.py", line 1, in f\n' * 30_000,
    "groups": "  +-+---------------- 1 ----------------\n" * 20_000,
    "links": "\x1b]8;;x" * 60_000,
    "colours": "\x1b[0m" * 100_000,
    "json": '{"a":' * 60_000 + "1" + "}" * 60_000,
    "carets": "CompilationError: at 1:1:\n" + "^\n" * 40_000,
    "distinct": "".join(f"ValueError: {n}\n" for n in range(20_000)),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_takes_linear_time(name: str) -> None:
    start = time.process_time()
    parse(HOSTILE[name])
    assert time.process_time() - start < 4.0


FRAGMENTS = [*CLEAN.splitlines(), *GROUP.splitlines(), *PYTEST.splitlines(), DIRECT, "", "|", "E  "]


@given(st.lists(st.sampled_from(FRAGMENTS) | st.text(string.printable, max_size=20), max_size=25))
def test_any_text_is_parsed(lines: list[str]) -> None:
    text = "\n".join(lines)
    for raised in parse(text).exceptions:
        assert 1 <= raised.line <= text.count("\n") + 1


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    try:
        paste = read(io.BytesIO(data), "it")
    except UsageError:
        return
    parse(paste)


def test_frames_without_an_exception_are_unfinished() -> None:
    frames = '  File "/v/triton/jit.py", line 3, in run\n    self.go()\n'
    report = parse(f"step 3\n{frames}")
    assert report.exceptions == []
    assert [raised.frames for raised in report.unfinished] == [[("/v/triton/jit.py", "run")]]
    assert parse(f"{frames}ValueError: no\n").unfinished == []
    assert parse("train.py:88 loss\n").unfinished == []
