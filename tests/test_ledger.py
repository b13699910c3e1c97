"""ledger: merge, atomic write, and the status that follows from results."""

from __future__ import annotations

import datetime
import json
import os
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

import pytest

from errorkb import ledger
from errorkb.errors import UsageError
from errorkb.fingerprint import fingerprint
from errorkb.ledger import State, status
from errorkb.model import Environment, Ledger, Outcome, Place, Result, Status
from errorkb.store import Library

if TYPE_CHECKING:
    from conftest import Workshop

SLUG = "demo/odd-total"
DATE = datetime.datetime(2026, 1, 2, tzinfo=datetime.UTC)
PASSED, FAILED, NOT_RUN = Outcome.PASSED, Outcome.FAILED, Outcome.NOT_RUN


def environment(
    name: str = "cpu", place: Place = Place.CPU, *, survey: bool = False
) -> Environment:
    return Environment(
        name=name, place=place, python="3.12", platform="Linux", date=DATE, survey=survey
    )


def result(
    library: Library,
    item: str,
    outcome: Outcome = PASSED,
    *,
    slug: str = SLUG,
    digest: str | None = None,
) -> Result:
    return Result(
        code=library.records[slug].code if slug in library.records else "EKB0009",
        slug=slug,
        item=item,
        outcome=outcome,
        seconds=0.1,
        hash=digest or fingerprint(library, slug),
        date=DATE,
    )


def ledger_of(
    *results: Result, name: str = "cpu", place: Place = Place.CPU, survey: bool = False
) -> Ledger:
    return Ledger(environment=environment(name, place, survey=survey), results=list(results))


def test_a_pass_of_every_item_verifies(workshop: Workshop) -> None:
    workshop.example()
    library = workshop.load()
    full = ledger_of(result(library, "before"), result(library, "after"))
    standing = status(library, [full])[SLUG]
    assert standing.status is Status.VERIFIED
    assert [cell.state for cell in standing.by_environment()["cpu"]] == [State.PASSED] * 2


def test_each_record_has_its_own_results(workshop: Workshop) -> None:
    workshop.example()
    workshop.example("demo/other", code="EKB0002")
    library = workshop.load()
    other = [result(library, item, slug="demo/other") for item in ("before", "after")]
    standings = status(library, [ledger_of(result(library, "before"), *other)])
    assert standings["demo/other"].status is Status.VERIFIED
    assert [cell.state for cell in standings[SLUG].cells] == [State.PASSED, State.MISSING]


def test_what_is_missing_or_of_other_content_is_stale(workshop: Workshop) -> None:
    workshop.example()
    library = workshop.load()
    assert status(library, [])[SLUG].status is Status.STALE
    half = ledger_of(result(library, "before"))
    standing = status(library, [half])[SLUG]
    assert standing.status is Status.STALE
    assert [cell.state for cell in standing.cells] == [State.PASSED, State.MISSING]
    old = ledger_of(result(library, "before"), result(library, "after", digest="0" * 16))
    assert [cell.state for cell in status(library, [old])[SLUG].cells][1] is State.STALE
    assert status(library, [old])[SLUG].status is Status.STALE


def test_one_failure_anywhere_fails_the_record(workshop: Workshop) -> None:
    workshop.example(example={"requires": ["cpu", "gpu"]})
    library = workshop.load()
    cpu = ledger_of(result(library, "before"), result(library, "after"))
    gpu = ledger_of(
        result(library, "before"), result(library, "after", FAILED), name="big", place=Place.GPU
    )
    assert status(library, [cpu])[SLUG].status is Status.VERIFIED
    assert status(library, [cpu, gpu])[SLUG].status is Status.FAILED
    stale_failure = ledger_of(
        result(library, "after", FAILED, digest="0" * 16), name="big", place=Place.GPU
    )
    assert status(library, [cpu, stale_failure])[SLUG].status is Status.STALE


def test_every_required_place_that_has_a_ledger_must_show_each_item(workshop: Workshop) -> None:
    workshop.example(example={"requires": ["cpu", "gpu"]})
    library = workshop.load()
    cpu = ledger_of(result(library, "before"), result(library, "after"))
    gpu = ledger_of(result(library, "before"), name="big", place=Place.GPU)
    assert status(library, [cpu, gpu])[SLUG].status is Status.STALE
    other = ledger_of(result(library, "after"), name="other", place=Place.GPU)
    assert status(library, [cpu, gpu, other])[SLUG].status is Status.VERIFIED


def test_a_reason_not_to_run_settles_a_place_but_verifies_nothing(workshop: Workshop) -> None:
    workshop.example(example={"requires": ["cpu", "gpu"]})
    library = workshop.load()
    waived = ledger_of(
        result(library, "before", NOT_RUN), result(library, "after", NOT_RUN), place=Place.GPU
    )
    assert status(library, [waived])[SLUG].status is Status.STALE
    cpu = ledger_of(result(library, "before"), result(library, "after"))
    assert status(library, [waived, cpu])[SLUG].status is Status.VERIFIED


def test_a_survey_fails_nothing_and_adds_its_passes(workshop: Workshop) -> None:
    workshop.example()
    library = workshop.load()
    before, after = result(library, "before"), result(library, "after")
    full = ledger_of(before, after)
    other = ledger_of(before, result(library, "after", FAILED), name="old", survey=True)
    standing = status(library, [full, other])[SLUG]
    assert standing.status is Status.VERIFIED
    assert list(standing.by_environment()) == ["cpu"]
    assert [cell.differs for cell in standing.cells] == [False, False, False, True]
    wrong = ledger_of(before, result(library, "after", FAILED))
    assert not any(cell.differs for cell in status(library, [wrong])[SLUG].cells)
    # Of what a survey did not do as the record says, nothing is settled.
    assert status(library, [other])[SLUG].status is Status.STALE
    # What the usual environment cannot run, another one may.
    here = ledger_of(result(library, "before", NOT_RUN), result(library, "after", NOT_RUN))
    standing = status(library, [here, other])[SLUG]
    assert [cell.item for cell in standing.by_environment()["old"]] == ["before"]
    there = ledger_of(before, after, name="old", survey=True)
    standing = status(library, [here, there])[SLUG]
    assert standing.status is Status.VERIFIED
    assert list(standing.by_environment()) == ["cpu", "old"]


def test_ledgers_of_places_that_are_not_required_do_not_count(workshop: Workshop) -> None:
    workshop.example()
    library = workshop.load()
    gpu = ledger_of(result(library, "before", FAILED), name="big", place=Place.GPU)
    assert status(library, [gpu])[SLUG].cells == ()


def test_a_record_that_is_not_executed_is_documented(workshop: Workshop) -> None:
    workshop.put(
        example=None,
        not_executed="It needs a cluster.",
        triggers=[{"when": "Always.", "not_reproduced": "It needs a cluster."}],
    )
    library = workshop.load()
    assert status(library, [])[SLUG].status is Status.DOCUMENTED


def test_a_partial_run_keeps_what_it_did_not_run_and_drops_what_is_gone(workshop: Workshop) -> None:
    workshop.example()
    workshop.example("demo/zero", code="EKB0002")
    library = workshop.load()
    old = ledger_of(
        result(library, "before"),
        result(library, "after"),
        result(library, "before", slug="demo/zero"),
        result(library, "before", slug="demo/gone", digest="0" * 16),
        result(library, "trigger_gone"),
    )
    new = ledger_of(result(library, "after", FAILED))
    merged = ledger.merge(old, new, library)
    assert [(r.slug, r.item, r.outcome) for r in merged.results] == [
        (SLUG, "before", PASSED),
        (SLUG, "after", FAILED),
        ("demo/zero", "before", PASSED),
    ]


@pytest.mark.parametrize(
    ("before", "digest", "stays"),
    [(PASSED, None, True), (FAILED, None, False), (PASSED, "0" * 16, False)],
    ids=["pass", "failure", "stale"],
)
def test_a_pass_stays_where_the_same_content_could_not_run(
    workshop: Workshop, before: Outcome, digest: str | None, stays: bool
) -> None:
    workshop.example()
    library = workshop.load()
    old = result(library, "before", before, digest=digest)
    new = result(library, "before", NOT_RUN)
    merged = ledger.merge(ledger_of(old), ledger_of(new), library)
    assert merged.results == [old if stays else new]


def test_results_of_a_place_no_longer_required_are_dropped(workshop: Workshop) -> None:
    workshop.example(example={"requires": ["gpu"]})
    library = workshop.load()
    merged = ledger.merge(ledger_of(result(library, "before")), ledger_of(), library)
    assert merged.results == []


def test_a_written_ledger_reads_back(workshop: Workshop) -> None:
    workshop.example()
    library = workshop.load()
    written = ledger_of(result(library, "before"), result(library, "after"))
    path = ledger.write(written, library.layout)
    assert path.name == "cpu.json"
    assert json.loads(path.read_text())["schema"] == 1
    assert library.ledgers() == [written]
    assert [p.name for p in path.parent.iterdir()] == ["cpu.json"]  # no temporary file is left


def test_a_failed_write_leaves_the_old_ledger(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    workshop.example()
    library = workshop.load()
    path = ledger.write(ledger_of(result(library, "before")), library.layout)
    text = path.read_text()

    def fail(self: Path, target: Path) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(OSError, match="No space left"):
        ledger.write(ledger_of(), library.layout)
    assert path.read_text() == text
    assert [p.name for p in path.parent.iterdir()] == ["cpu.json"]


def test_a_pipe_or_a_heap_is_no_ledger(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    workshop.example()
    library = workshop.load()
    path = ledger.write(ledger_of(), library.layout)
    monkeypatch.setattr(ledger, "MAX_LEDGER_BYTES", 9)
    with pytest.raises(UsageError, match="is larger than"):
        library.ledgers()
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(UsageError, match="is not a ledger"):
        library.ledgers()


def test_who_holds_the_folder_is_alone(workshop: Workshop) -> None:
    workshop.example()
    layout = workshop.load().layout
    events: list[str] = []

    def second() -> None:
        with ledger.alone(layout):
            events.append("second")

    thread = Thread(target=second)
    with ledger.alone(layout):
        thread.start()
        thread.join(0.2)
        events.append("first")
    thread.join()
    assert events == ["first", "second"]
    assert list(layout.verification.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("cpu.json", "{", "is not a ledger"),
        ("cpu.json", '{"schema": 2, "environment": {}, "results": []}', "is not a ledger"),
        ("cpu.json", "\xff", "is not a ledger"),
        ("gpu.json", None, "holds the ledger of cpu; rename it"),
    ],
)
def test_a_file_that_is_no_ledger(
    workshop: Workshop, name: str, text: str | None, says: str
) -> None:
    workshop.example()
    library = workshop.load()
    path = ledger.write(ledger_of(), library.layout)
    if text is not None:
        path.write_text(text, encoding="latin-1")
    path.rename(path.with_name(name))
    with pytest.raises(UsageError, match=says):
        library.ledgers()
