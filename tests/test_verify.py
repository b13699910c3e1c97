"""verify: examples run, are judged, and become results; each broken rule is a failure."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from errorkb.errors import UsageError
from errorkb.fingerprint import fingerprint
from errorkb.model import Outcome, Place
from errorkb.plan import tasks
from errorkb.verify import Checked, Verifier, lookup_answer

if TYPE_CHECKING:
    from conftest import Workshop

SLUG = "demo/odd-total"
Verify = Callable[..., dict[str, Checked]]


@pytest.fixture
def verify(workshop: Workshop) -> Verify:
    """Check everything of the workshop on the CPU; `<slug> <item>` → what was found."""

    def run(jobs: int = 1) -> dict[str, Checked]:
        library = workshop.load()
        found: list[Checked] = []
        with Verifier(library, lookup_answer(library)) as verifier:
            verifier.check_all(tasks(library, [], [Place.CPU]), jobs=jobs, done=found.append)
        return {f"{each.task.slug} {each.task.item}": each for each in found}

    return run


def reasons(found: dict[str, Checked]) -> dict[str, str | None]:
    """Item → why it failed; None where it passed."""
    assert all(c.result.outcome in (Outcome.PASSED, Outcome.FAILED) for c in found.values())
    return {
        name.rpartition(" ")[2]: each.result.reason
        if each.result.outcome is Outcome.FAILED
        else None
        for name, each in found.items()
    }


def test_an_example_that_does_what_it_claims_passes(workshop: Workshop, verify: Verify) -> None:
    workshop.example()
    workshop.script("guard", "if total % 2:\n    raise TypeError('odd')\n")
    found = verify()
    assert reasons(found) == {"before": None, "after": None}
    before = found[f"{SLUG} before"].result
    assert before.code == "EKB0001"
    assert before.message == "ValueError: expected an even total, got 7"
    assert before.hash == fingerprint(workshop.load(), SLUG)
    assert before.seconds > 0
    assert found[f"{SLUG} after"].result.max_error is None  # the values are integers
    assert "Traceback" in found[f"{SLUG} before"].output


def test_a_before_that_raises_a_sibling_fails(workshop: Workshop, verify: Verify) -> None:
    workshop.example()
    sibling = {
        "template": "expected an even total, got {total:int} and {more:int}",
        "software": "demo",
        "versions": "*",
        "origin": "executed",
    }
    workshop.put("demo/two", code="EKB0002", messages=[sibling])
    workshop.script("before", "raise ValueError('expected an even total, got 7 and 9')\n")
    assert "no message of the record matches" in (reasons_of(verify(), SLUG)["before"] or "")


def test_a_message_that_a_lookup_gives_to_a_sibling_fails(
    workshop: Workshop, verify: Verify
) -> None:
    def template(text: str) -> list[dict[str, str]]:
        return [{"template": text, "software": "demo", "versions": "*", "origin": "executed"}]

    workshop.example(messages=template("expected {what:str}"))
    workshop.example("demo/two", code="EKB0002")
    found = verify()
    assert "lookup answers what before.py printed with demo/two" in (
        reasons_of(found, SLUG)["before"] or ""
    )
    assert reasons_of(found, "demo/two") == {"before": None, "after": None}


def reasons_of(found: dict[str, Checked], slug: str) -> dict[str, str | None]:
    return reasons({name: each for name, each in found.items() if name.startswith(f"{slug} ")})


def test_an_after_that_differs_fails(workshop: Workshop, verify: Verify) -> None:
    workshop.example()
    workshop.script("after", "total = 8\nactual, expected = 1.0, 1.0 + 1e-6\n")
    assert "after.py is wrong: actual is 1.0, expected" in (reasons(verify())["after"] or "")


def test_a_silent_before_that_agrees_fails(workshop: Workshop, verify: Verify) -> None:
    workshop.example(kind="silent", exceptions=None, messages=None)
    workshop.script("before", "actual, expected = 4.0, 4.0\n")
    assert "does not show the wrong numbers" in (reasons(verify())["before"] or "")
    workshop.script("before", "actual, expected = 3.0, 4.0\n")
    found = verify()
    assert reasons(found) == {"before": None, "after": None}
    assert found[f"{SLUG} before"].result.max_error == pytest.approx(0.25)


def test_a_broken_guard_fails(workshop: Workshop, verify: Verify) -> None:
    workshop.example()
    workshop.script("guard", "if ttal % 2:\n    raise ValueError('odd')\n")
    found = reasons(verify())
    assert "guard.py itself fails after before.py: NameError" in (found["before"] or "")
    assert "guard.py itself fails after after.py: NameError" in (found["after"] or "")


def test_a_guard_is_not_run_for_triggers(workshop: Workshop, verify: Verify) -> None:
    triggers = [
        {"when": "The total is odd.", "case": "before"},
        {"when": "It is odd and negative.", "case": "trigger_negative"},
    ]
    workshop.example(triggers=triggers)
    workshop.script("guard", "if total % 2:\n    raise ValueError('odd')\n")
    workshop.script("trigger_negative", "raise ValueError('expected an even total, got -3')\n")
    assert reasons(verify()) == {"before": None, "after": None, "trigger_negative": None}
    workshop.script("trigger_negative", "pass\n")
    assert "must fail, but it finished" in (reasons(verify())["trigger_negative"] or "")


def test_a_missing_script_fails(workshop: Workshop, verify: Verify) -> None:
    workshop.put()
    workshop.script("before", "raise ValueError('expected an even total, got 7')\n")
    assert reasons(verify()) == {
        "before": None,
        "after": "examples/demo/odd-total/after.py is missing",
    }


def test_a_crash_does_not_reach_the_next_item(workshop: Workshop, verify: Verify) -> None:
    workshop.example()
    workshop.example("demo/zero", code="EKB0002", messages=None, exceptions=None, kind="silent")
    workshop.script("before", "import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)\n")
    workshop.script("before", "actual, expected = 1, 2\n", "demo/zero")
    found = verify()
    assert "killed by SIGSEGV" in (reasons_of(found, SLUG)["before"] or "")
    assert reasons_of(found, SLUG)["after"] is None
    assert reasons_of(found, "demo/zero") == {"before": None, "after": None}


def test_a_time_limit_of_the_record_is_kept(workshop: Workshop, verify: Verify) -> None:
    workshop.example(example={"requires": ["cpu"], "timeout_seconds": 1})
    workshop.script("after", "import time\ntime.sleep(60)\n")
    assert "after.py still ran after 1 s" in (reasons(verify())["after"] or "")


def test_what_the_machine_lacks_is_said_and_not_run(workshop: Workshop, verify: Verify) -> None:
    packages = {"no-such-distribution": ">=1"}
    workshop.example(example={"requires": ["cpu"], "packages": packages})
    for checked in verify().values():
        assert checked.result.outcome is Outcome.NOT_RUN
        assert "needs no-such-distribution" in (checked.result.reason or "")


def test_a_tolerance_of_the_record_is_used(workshop: Workshop, verify: Verify) -> None:
    tolerance = {"relative": 0.1, "reason": "It is a sketch."}
    workshop.example(example={"requires": ["cpu"], "tolerance": tolerance})
    workshop.script("after", "total = 8\nactual, expected = 1.05, 1.0\n")
    found = verify()
    assert reasons(found)["after"] is None
    assert found[f"{SLUG} after"].result.max_error == pytest.approx(0.05)


@pytest.mark.parametrize("isolation", ["fork", "process"])
def test_paths_of_this_machine_do_not_reach_the_ledger(
    workshop: Workshop, verify: Verify, isolation: str
) -> None:
    messages = [
        {"template": "no total in {file:path}", "software": "demo", "versions": "*",
         "origin": "executed"}
    ]  # fmt: skip
    workshop.example(messages=messages, example={"requires": ["cpu"], "isolation": isolation})
    workshop.script("before", "raise ValueError(f'no total in {__file__}')\n")
    result = verify()[f"{SLUG} before"].result
    assert result.outcome is Outcome.PASSED
    assert result.message == "ValueError: no total in examples/demo/odd-total/before.py"


def test_several_at_a_time_find_the_same(workshop: Workshop, verify: Verify) -> None:
    for number in range(4):
        slug = f"demo/total-{number}"
        template = f"expected an even total in {number}{number}, got {{total:int}}"
        message = {"template": template, "software": "demo", "versions": "*", "origin": "executed"}
        isolation = "process" if number == 3 else "fork"
        workshop.example(
            slug,
            code=f"EKB000{number}",
            messages=[message],
            example={"requires": ["cpu"], "isolation": isolation},
        )
        text = f"raise ValueError('expected an even total in {number}{number}, got 7')\n"
        workshop.script("before", text, slug)
    found = verify(jobs=3)
    assert len(found) == 8
    assert all(each.result.outcome is Outcome.PASSED for each in found.values())


def test_a_place_that_is_not_here_is_bad_input(workshop: Workshop) -> None:
    workshop.example()
    library = workshop.load()
    with Verifier(library, lambda _: None) as verifier:
        assert verifier.places([Place.CPU, Place.CPU]) == [Place.CPU]
        if verifier.machine(Place.GPU).gpu is None:
            with pytest.raises(UsageError, match="no CUDA GPU is visible"):
                verifier.places([Place.GPU])
