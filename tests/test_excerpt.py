"""excerpt: which lines of a large paste are kept, and that each piece knows where it stands."""

from __future__ import annotations

import io

import pytest

from errorkb import excerpt
from errorkb.excerpt import bounded

HEAD, TAIL, CHUNK = 1000, 2000, 4000
COUNT = 2000


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same with pieces of a few lines, so that each line can be looked at."""
    sizes = {"HEAD": HEAD, "TAIL": TAIL, "CHUNK": CHUNK, "BETWEEN": 1000, "LINES": 9}
    for name, size in {**sizes, "_BEFORE": 100, "_AFTER": 60}.items():
        monkeypatch.setattr(excerpt, name, size)


def pieces(errors: dict[int, str], count: int = COUNT) -> list[tuple[int, list[str]]]:
    """The excerpt of so many lines that say their number, with errors at some of them."""
    lines = [f"{number} {errors.get(number, 'went well')}" for number in range(1, count + 1)]
    data = "".join(f"{line}\n" for line in lines).encode()
    read = HEAD + TAIL
    found, size, ended = excerpt.excerpt(data[:read], io.BytesIO(data[read:]))
    assert (size, ended) == (len(data), True)
    kept = [(number, piece.decode().splitlines()) for number, piece in found]
    for number, each in kept:
        assert each == lines[number - 1 : number - 1 + len(each)]
    starts = [number for number, _ in kept]
    ends = [number + len(each) for number, each in kept]
    assert all(end <= start for end, start in zip(ends, starts[1:], strict=False))
    assert (starts[0], ends[-1]) == (1, count + 1)
    return kept


def numbers(kept: list[tuple[int, list[str]]], word: str) -> list[int]:
    return [n + i for n, each in kept for i, line in enumerate(each) if word in line]


def test_without_errors_the_beginning_and_the_end_are_kept() -> None:
    (_, head), (_, tail) = pieces({})
    assert HEAD - 20 < sum(len(line) + 1 for line in head) <= HEAD
    assert TAIL <= sum(len(line) + 1 for line in tail) <= TAIL + CHUNK


def test_an_error_between_is_kept_with_the_lines_around_it() -> None:
    _, (first, between), _ = pieces({900: "ValueError: odd"})
    assert first in range(900 - 8, 900 - 5)
    assert first + len(between) - 1 in range(900 + 3, 900 + 6)


def test_an_error_at_the_edge_of_what_is_read_at_once_has_its_neighbours() -> None:
    for number in range(10, 900):
        kept = {
            n + i for n, each in pieces({number: "KeyError: x"}, 1000) for i in range(len(each))
        }
        assert kept >= set(range(number - 5, number + 4)), number


def test_neighbours_share_a_piece_and_the_same_error_is_kept_once() -> None:
    errors = {600: "ValueError: odd 3", 700: "ValueError: odd 4", 800: "KeyError: x", 807: "fatal"}
    kept = pieces(errors)
    assert len(kept) == 4
    assert numbers(kept, "ValueError") == [600]
    assert (numbers(kept, "KeyError"), numbers(kept, "fatal")) == ([800], [807])


def test_more_errors_than_there_is_room_for_are_left_out() -> None:
    errors = {number: f"Error: {'x' * (number // 50)}" for number in range(300, 1700, 50)}
    kept = pieces(errors)
    between = [sum(len(line) + 1 for line in each) for _, each in kept[1:-1]]
    assert sum(between[:-1]) < 1000 <= sum(between) < 1400


def test_a_line_without_end_is_kept_by_its_bytes() -> None:
    data = b"a" * 10_000
    found, size, ended = excerpt.excerpt(data[:3001], io.BytesIO(data[3001:]))
    assert (size, ended) == (10_000, True)
    assert [(number, len(piece) >= TAIL) for number, piece in found] == [(1, False), (1, True)]
    assert len(found[0][1]) == HEAD


@pytest.mark.parametrize("before", [0, 1, 3001, 5500])
def test_a_line_without_end_is_read_in_bounded_memory(before: int) -> None:
    start = b"x" * before + b"\n"
    pending = 0

    class Endless(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            nonlocal pending
            pending += 1
            return b"a" * (size or 0) if pending < 50 else b""

    found, size, ended = excerpt.excerpt(start + b"a" * (HEAD + TAIL), Endless())
    assert (size, ended) == (len(start) + HEAD + TAIL + 49 * CHUNK, True)
    assert sum(len(piece) for _, piece in found) < HEAD + TAIL + 2 * CHUNK


@pytest.mark.parametrize(("count", "kept"), [(9, [(5, 9)]), (10, [(5, 3), (9, 6)])])
def test_of_many_lines_the_middle_is_left_out(count: int, kept: list[tuple[int, int]]) -> None:
    text = "\n".join(str(number) for number in range(5, 5 + count))
    found = bounded([(5, text)])
    assert [(number, len(each.split("\n"))) for number, each in found] == kept
    assert all(each.split("\n")[0] == str(number) for number, each in found)
    assert found[-1][1].endswith(str(4 + count))
