"""What is a prefix, what is not, and which process a prefix names."""

from __future__ import annotations

import pytest

from errorkb.prefix import split_prefix

BODY = "ValueError: no slot"


@pytest.mark.parametrize(
    "prefix",
    [
        "[rank0]: ",
        "[default6]:[rank6]: ",
        "0000-steps/0 [default6]:[rank6]: ",
        "(EngineCore pid=1) ",
        "(Worker pid=1, ip=10.0.0.1) ERROR 06-25 15:28:30 worker_base.py:148] ",
        "ERROR 04-01 23:46:56 [engine.py:160] ",
        "E0519 00:53:54.060000 2989996 site-packages/a/b.py:1089] [0/0] ",
        "[16:10:33] stdout/INFO  ",
        "[2025-08-19 21:42:17] ",
        "[2025-08-19 21:42:17 TP3] ",
        "2026-08-28T16:10:33.123Z ",
        "2026-08-28 16:10:33,123 - app.serve - ERROR - ",
        "2026-08-28 16:10:33.123 | ERROR    | app.serve:main:31 - ",
        "Aug 28 16:10:33 node7 python[123]: ",
        "server-1  | ",
        "ERROR:app.serve:",
        "> (raylet) ",
        "3: ",
        "CRITICAL: ",
    ],
)
def test_a_prefix_is_taken_off(prefix: str) -> None:
    found = split_prefix(prefix + BODY)
    assert (prefix + BODY)[found.end :].strip() == BODY


@pytest.mark.parametrize(
    "text",
    [
        BODY,
        "[1, 8] is no shape",
        "[3]path",
        "[Errno is missing] x",
        "(1, 8) is no shape",
        "expected 3: got 4",
        "2 tensors, 3 given",
        "at 7:14:",
        "cuda:0 and cpu",
        "args[0]: TensorBox",
    ],
)
def test_a_message_is_not_taken_for_a_prefix(text: str) -> None:
    assert split_prefix(text).end == 0


def test_indentation_behind_a_prefix_stays() -> None:
    text = '[rank0]:   File "a.py", line 1, in f'
    assert text[split_prefix(text).end :] == '  File "a.py", line 1, in f'


def test_every_place_where_a_message_could_begin_is_named() -> None:
    text = "[rank3]:[E a.cpp:61] [Rank 3] timeout"
    begins = [text[start:] for start in split_prefix(text).starts]
    assert "[Rank 3] timeout" in begins
    assert "timeout" in begins


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("[rank0]: a", "[rank1]: a", False),
        ("(Core pid=1) a", "(Core pid=2) a", False),
        ("[2025-08-19 21:42:17 TP0] a", "[2025-08-19 21:42:18 TP1] a", False),
        ("[2025-08-19 21:42:17 TP0] a", "[2025-08-19 21:42:18 TP0] a", True),
        ("[21:42:17 rank 0] a", "[21:42:18 rank 0] a", True),
        ("ERROR 1:23:45 [a.py:1] a", "INFO 1:23:46 [b.py:2] a", True),
    ],
)
def test_processes_are_told_apart(one: str, other: str, same: bool) -> None:
    assert (split_prefix(one).process == split_prefix(other).process) is same
