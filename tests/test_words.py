"""The words of a message and what they weigh."""

from __future__ import annotations

import pytest

from errorkb.words import GENERIC, LIGHT, RARE, weight, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Expected beta shape (1, 8)", ["expected", "beta", "shape"]),
        ("CUBLAS_STATUS_ALLOC_FAILED: x", ["cublas_status_alloc_failed", "x"]),
        ("map::at 3rd __ 16-byte", ["map", "at", "byte"]),
        ("expected q/k shape", ["expected", "q", "k", "shape", "q/k"]),
        ("in /usr/lib/a.py", ["in", "usr", "lib", "a", "py"]),
        ("", []),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    assert words(text) == expected


def test_generic_words_say_little_however_rare() -> None:
    assert weight("permission", 0) == weight("permission", 500) == LIGHT


def test_a_word_says_less_the_more_wordings_hold_it() -> None:
    assert RARE == weight("arange", 0) == weight("arange", 1) > weight("arange", 9)
    assert weight("arange", 10_000) > LIGHT


def test_a_long_identifier_says_more() -> None:
    assert weight("cublas_status_not_initialized", 1) > RARE


def test_generic_words_are_single_lower_case_words() -> None:
    assert all(word == word.lower() and words(word) == [word] for word in GENERIC)
