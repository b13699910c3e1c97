"""releases: which release printed which wording, and which does otherwise."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from errorkb.model import Outcome
from errorkb.render import plan

if TYPE_CHECKING:
    from conftest import Html, Workshop

WORDINGS = [
    {"template": "expected an even total, got {total:int}", "versions": ">=3.10"},
    {"template": "expected an even total, got {total:int}", "versions": ">=3.5,<3.10"},
    {"template": "the total is odd: {total:int}", "versions": "<3.5"},
    {"template": "{total:int} cannot be halved", "versions": "<2"},
]


def shown(workshop: Workshop, to_html: Callable[[str], Html], page: str) -> str:
    return " ".join(to_html(plan(workshop.load())[page].decode()).text.split())


def example(workshop: Workshop) -> None:
    workshop.example(
        messages=[{**each, "software": "triton", "origin": "executed"} for each in WORDINGS]
    )


def test_each_wording_names_the_releases_that_printed_it(
    workshop: Workshop, executed: Callable[..., None], to_html: Callable[[str], Html]
) -> None:
    example(workshop)
    executed()
    for release, message in (
        ("3.10.0", "expected an even total, got 7"),
        ("3.9.0", "expected an even total, got 7"),
        ("3.4.0", "the total is odd: 7"),
    ):
        executed(name=f"triton-cpu-{release}", survey=release, message=f"ValueError: {message}")
    text = shown(workshop, to_html, "errors/demo/odd-total.md")
    table = text.partition("Printed by ")[2].partition("Other releases of Triton")[0]
    assert table == (
        "expected an even total, got totalCPUPython 3.11.7; triton 3.9.0, 3.10.0 "
        "the total is odd: totalCPUtriton 3.4.0 "
    )
    releases = text.partition("Other releases of Triton")[2].partition("Verification")[0]
    assert "Every case does what this page says with: triton 3.4.0, 3.9.0, 3.10.0 (CPU)" in releases
    assert "Otherwise" not in releases
    assert "verified on CPU, 2026-01-02" in text
    assert "triton 3.9.0" not in text.partition("Verification")[2].partition("History")[0]


def test_what_a_release_does_otherwise_is_said_once_and_is_no_failure(
    workshop: Workshop, executed: Callable[..., None], to_html: Callable[[str], Html]
) -> None:
    example(workshop)
    executed()
    for seed, release in enumerate(("3.5.1", "3.4.0")):
        executed(
            name=f"triton-cpu-{release}",
            survey=release,
            outcomes={"after": Outcome.FAILED},
            reason=f"after.py must end by itself, but it raised <b> (seed {seed})",
        )
    executed(name="triton-cpu-3.6.0", survey="3.6.0")
    text = shown(workshop, to_html, "errors/demo/odd-total.md")
    written = plan(workshop.load())["errors/demo/odd-total.md"].decode()
    # The releases that do otherwise are in no list, and the table is no part of it.
    assert "with:\n\n- triton 3&#46;6&#46;0 (CPU)\n\nOtherwise:\n\n<div" in written
    assert (
        "What happens triton 3.4.0, 3.5.1CPUafterafter.py must end by itself, but it raised <b> "
        in text
    )
    assert "seed" not in text
    assert "failed" not in text
    ledgers = shown(workshop, to_html, "verification/index.md")
    assert "CPU, triton 3.4.0torch 2.13.0, triton 3.4.0, Python 3.11.71 of 2100" in ledgers
    newest_first = [ledgers.index(f"CPU, triton {each}") for each in ("3.6.0", "3.5.1", "3.4.0")]
    assert newest_first == sorted(newest_first)
    assert "1 of 1 records verified" in ledgers


def test_a_wording_of_other_software_has_that_software_s_version(
    workshop: Workshop, executed: Callable[..., None], to_html: Callable[[str], Html]
) -> None:
    workshop.example(messages=[{**WORDINGS[0], "software": "torch", "origin": "executed"}])
    executed(name="triton-cpu-3.10", survey="3.10.0")
    text = shown(workshop, to_html, "errors/demo/odd-total.md")
    assert "expected an even total, got totalCPUtorch 2.13.0 " in text


def test_a_case_that_failed_printed_no_wording(
    workshop: Workshop, executed: Callable[..., None], to_html: Callable[[str], Html]
) -> None:
    """The words may be the record's and the class another, or the lookup may find another."""
    example(workshop)
    executed(outcomes={"before": Outcome.FAILED}, reason="it raised KeyError")
    assert "Printed by" not in shown(workshop, to_html, "errors/demo/odd-total.md")


def test_a_stale_print_says_so(
    workshop: Workshop, executed: Callable[..., None], to_html: Callable[[str], Html]
) -> None:
    example(workshop)
    executed(name="triton-cpu-3.5", survey="3.5.1", stale=True)
    assert "triton 3.5.1 (stale)" in shown(workshop, to_html, "errors/demo/odd-total.md")
