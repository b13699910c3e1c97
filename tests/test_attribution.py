"""attribution: the wording that a print is, and whether it is said of that version."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from typing import Any

import pytest

from errorkb.attribution import is_said_of, version, wording
from errorkb.model import Environment, ErrorRecord, Message, Place

DATE = datetime.datetime(2026, 1, 2, tzinfo=datetime.UTC)


def message(template: str, versions: str = "*", software: str = "triton") -> dict[str, Any]:
    return {
        "template": template,
        "software": software,
        "versions": versions,
        "origin": "executed",
    }


def environment(triton: str | None = "3.5.1") -> Environment:
    return Environment(
        name="here",
        place=Place.CPU,
        python="3.11",
        torch="2.13.0+cpu",
        triton=triton,
        platform="Linux",
        date=DATE,
    )


@pytest.mark.parametrize(
    ("triton", "template"), [("3.5.1", "{what:text} is odd"), ("3.4.0", "total {n:int} is odd")]
)
def test_the_wording_of_the_version_comes_first_and_then_the_longest(
    make_record: Callable[..., dict[str, Any]], triton: str, template: str
) -> None:
    record = ErrorRecord.model_validate(
        make_record(
            messages=[
                message("{what:text} is odd"),
                message("total {n:int} is odd", "<3.5"),
                message("{what:text} {n:int} is odd", "<3.5"),
            ]
        )
    )
    found = wording(record, "ValueError: total 7 is odd", environment(triton))
    assert found is not None
    assert found.template == template
    assert wording(record, "ValueError: total 7 is even", environment(triton)) is None


def test_blanks_at_the_end_of_a_line_belong_to_the_wording(
    make_record: Callable[..., dict[str, Any]],
) -> None:
    record = ErrorRecord.model_validate(make_record(messages=[message("failed: \nvalue {n:int}")]))
    assert wording(record, "RuntimeError: failed: \nvalue 7", environment()) is not None


@pytest.mark.parametrize(
    ("software", "versions", "said"),
    [
        ("triton", ">=3.4", True),
        ("triton interpreter", "<3.5", False),
        ("torch", "==2.13.*", True),
        ("torch", "*", None),
        ("gcc", ">=12", None),
    ],
)
def test_only_packages_of_the_environment_have_a_version(
    software: str, versions: str, said: bool | None
) -> None:
    each = Message.model_validate(message("it is odd", versions, software))
    assert is_said_of(each, environment()) is said


def test_the_version_is_that_of_the_package_that_prints() -> None:
    each = Message.model_validate(message("it is odd"))
    assert version(each, environment()) == ("triton", "3.5.1")
    assert version(each, environment(None)) is None
