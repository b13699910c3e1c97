"""views: labels, differences and shortened prints."""

from __future__ import annotations

import datetime

import pytest

from errorkb.model import Environment, Place
from errorkb.render.views import LONGEST_PRINT, diff, enumerated, labels, shortened

DATE = datetime.datetime(2026, 1, 2, tzinfo=datetime.UTC)


def environment(name: str, place: Place, **known: str) -> Environment:
    return Environment(name=name, place=place, python="3.11", platform="Linux", date=DATE, **known)


def test_environments_are_named_by_what_ran() -> None:
    named = labels(
        [
            environment("nvidia-h200", Place.GPU, gpu="NVIDIA H200"),
            environment("sm90", Place.COMPILE, compute_capability="9.0"),
            environment("interpreter", Place.INTERPRETER),
        ]
    )
    assert named == {
        "nvidia-h200": "NVIDIA H200",
        "sm90": "Triton compiler for sm_90",
        "interpreter": "Triton interpreter",
    }


def test_a_survey_names_its_version_and_leaves_the_others_their_names() -> None:
    here = environment("interpreter", Place.INTERPRETER, triton="3.7.1")
    there = here.model_copy(update={"name": "old", "triton": "3.5.1", "survey": True})
    assert labels([here, there]) == {
        "interpreter": "Triton interpreter",
        "old": "Triton interpreter, triton 3.5.1",
    }


def test_two_environments_of_one_kind_are_told_apart_by_version_and_then_by_name() -> None:
    named = labels(
        [
            environment("a", Place.INTERPRETER, triton="3.6.0"),
            environment("b", Place.INTERPRETER, triton="3.7.1"),
            environment("c", Place.INTERPRETER, triton="3.7.1"),
            environment("d", Place.CPU, torch="2.13.0"),
            environment("e", Place.CPU),
        ]
    )
    assert named == {
        "a": "Triton interpreter, triton 3.6.0",
        "b": "Triton interpreter, triton 3.7.1, b",
        "c": "Triton interpreter, triton 3.7.1, c",
        "d": "CPU, torch 2.13.0",
        "e": "CPU, Python 3.11",
    }


@pytest.mark.parametrize(
    ("names", "text"),
    [(["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c", "a"], "a, b and c")],
)
def test_enumerated(names: list[str], text: str) -> None:
    assert enumerated(names) == text


def test_a_short_diff_has_no_header_and_no_blank_ends() -> None:
    assert diff("x\n\na = 1\n\ny\n", "x\n\na = 2\n\ny\n") == " x\n \n-a = 1\n+a = 2\n \n y"
    assert diff("\na\n", "\nb\n") == "-a\n+b"


def test_distant_changes_keep_their_places() -> None:
    middle = "\n".join(str(number) for number in range(20))
    shown = diff(f"a\n{middle}\nb\n", f"c\n{middle}\nd\n")
    assert shown.count("@@") == 4
    assert "10" not in shown


def test_a_long_print_keeps_its_ends_and_says_what_is_left_out() -> None:
    text = "\n".join(f"line {number}" for number in range(200))
    shown = shortened(text).splitlines()
    assert shown[0] == "line 0"
    assert shown[-1] == "line 199"
    assert len(shown) == LONGEST_PRINT + 1
    assert f"[{200 - LONGEST_PRINT} lines left out" in shown[LONGEST_PRINT - 20]
    assert shortened("a\nb") == "a\nb"
