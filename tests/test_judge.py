"""judge: each way in which an item can fail to do what its record claims is a failure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from errorkb.compare import Comparison, Verdict
from errorkb.judge import NOT_LAUNCHED, Judgement, judge
from errorkb.model import ErrorRecord, Outcome, Place
from errorkb.plan import Task
from errorkb.runner import Ended, Guard, GuardOutcome, Raised, Report

SLUG = "demo/odd-total"
MESSAGE = "expected an even total, got 7"
AGREE = Comparison(Verdict.AGREE, 1e-7, "8 elements agree")
DIFFER = Comparison(Verdict.DIFFER, 0.5, "actual[0] is 1, expected 2; 1 of 8 elements differ")
UNUSABLE = Comparison(Verdict.UNUSABLE, None, "actual has shape (2,), expected (3,)")

RAISED = Report(
    Ended.RAISED,
    "exit code 1",
    f"Traceback (most recent call last):\nValueError: {MESSAGE}\n",
    seed=5,
    exceptions=(Raised("ValueError", MESSAGE, f"ValueError: {MESSAGE}"),),
)
FINISHED = Report(
    Ended.FINISHED,
    "exit code 0",
    "",
    seed=5,
    variables=frozenset({"actual", "expected"}),
    comparison=AGREE,
)

MakeRecord = Callable[..., dict[str, Any]]


@pytest.fixture
def judged(make_record: MakeRecord) -> Callable[..., Judgement]:
    def run(
        item: str,
        report: Report,
        *,
        place: Place = Place.CPU,
        answer: str | None = SLUG,
        **changes: object,
    ) -> Judgement:
        record = ErrorRecord.model_validate(make_record(**changes))
        return judge(Task(SLUG, record, item, place), report, lambda _text: answer)

    return run


Judged = Callable[..., Judgement]


def raising(name: str = "ValueError", message: str = MESSAGE) -> Report:
    printed = f"{name}: {message}"
    return replace(RAISED, output=f"{printed}\n", exceptions=(Raised(name, message, printed),))


def test_before_passes_with_its_class_and_message(judged: Judged) -> None:
    result = judged("before", RAISED)
    assert result == Judgement(Outcome.PASSED, None, f"ValueError: {MESSAGE}", None)


@pytest.mark.parametrize(
    ("report", "says"),
    [
        (FINISHED, "before.py must fail, but it finished"),
        (raising(name="TypeError"), "before.py must raise ValueError, but it raised TypeError"),
        (raising(message="expected an odd total, got 7"), "no message of the record matches"),
        (raising(message="expected an even total, got 7 or so"), "no message of the record"),
        (raising(message="unexpected an even total, got 7"), "no message of the record"),
        (
            Report(Ended.EXITED, "exit code 3", "nothing here\n", 5),
            "ended with exit code 3, after printing 'nothing here' and printed no exception",
        ),
        (Report(Ended.KILLED, "killed by SIGSEGV", "x\n", 5), "killed by SIGSEGV, after printing"),
        (Report(Ended.TIMED_OUT, "still ran after 2 s", "", 5), "before.py still ran after 2 s"),
        (Report(Ended.FLOODED, "printed more than 64 MiB", "", 5), "before.py printed more than"),
        (Report(Ended.LOST, "ended with exit code 3", "", 5), "ended with exit code 3"),
    ],
)
def test_before_fails_otherwise(judged: Judged, report: Report, says: str) -> None:
    result = judged("before", report)
    assert result.outcome is Outcome.FAILED
    assert says in (result.reason or "")
    assert "(seed 5)" in (result.reason or "")


@pytest.mark.parametrize("answer", ["demo/sibling", None])
def test_a_lookup_that_answers_otherwise_fails_the_item(judged: Judged, answer: str | None) -> None:
    result = judged("before", RAISED, answer=answer)
    assert result.outcome is Outcome.FAILED
    assert f"with {answer or 'no record'}" in (result.reason or "")


def test_an_exception_of_the_chain_may_be_the_record_s(judged: Judged) -> None:
    wrapper = Raised("triton.runtime.errors.InterpreterError", "wrapped", "InterpreterError: w")
    report = replace(RAISED, exceptions=(wrapper, *RAISED.exceptions))
    result = judged("before", report)
    assert result.outcome is Outcome.PASSED
    assert result.message == f"ValueError: {MESSAGE}"
    class_of_one_message_of_another = replace(
        RAISED,
        output="",
        exceptions=(
            Raised("TypeError", MESSAGE, ""),
            Raised("ValueError", "other", "ValueError: other"),
        ),
    )
    assert judged("before", class_of_one_message_of_another).outcome is Outcome.FAILED


def test_a_compile_error_s_message_is_read_below_its_source_excerpt(judged: Judged) -> None:
    name = "triton.compiler.errors.CompilationError"
    text = f"at 2:4:\ndef kernel(x):\n    x + 1\n    ^\nValueError('{MESSAGE}')"
    report = replace(
        RAISED, output=f"{name}: {text}\n", exceptions=(Raised(name, text, f"{name}: {text}"),)
    )
    result = judged("before", report, kind="compile")
    assert (result.outcome, result.message) == (Outcome.PASSED, f"ValueError: {MESSAGE}")


def test_a_class_quoted_without_its_module_is_the_record_s(judged: Judged) -> None:
    report = Report(Ended.EXITED, "exit code 1", f"OddTotalError: {MESSAGE}\n", 5)
    assert judged("before", report, exceptions=["demo.OddTotalError"]).outcome is Outcome.PASSED
    assert judged("before", report, exceptions=["demo.TotalError"]).outcome is Outcome.FAILED
    assert judged("before", RAISED, exceptions=["demo.ValueError"]).outcome is Outcome.FAILED


def test_a_child_process_may_print_the_exception(judged: Judged) -> None:
    report = Report(Ended.EXITED, "exit code 1", RAISED.output, 5)
    assert judged("before", report).outcome is Outcome.PASSED


def test_a_record_without_classes_may_match_a_line(judged: Judged) -> None:
    report = Report(Ended.EXITED, "exit code 1", f"ld: x\n{MESSAGE}\n", 5)
    result = judged("before", report, kind="environment", exceptions=[])
    assert (result.outcome, result.message) == (Outcome.PASSED, MESSAGE)


def test_after_passes_with_its_error(judged: Judged) -> None:
    assert judged("after", FINISHED) == Judgement(Outcome.PASSED, None, None, 1e-7)


@pytest.mark.parametrize(
    ("report", "says"),
    [
        (RAISED, "after.py must end by itself, but it raised ValueError"),
        (Report(Ended.EXITED, "exit code 1", "", 5), "but it ended with exit code 1"),
        (replace(FINISHED, comparison=DIFFER), "after.py is wrong: actual[0] is 1, expected 2"),
        (replace(FINISHED, comparison=UNUSABLE), "after.py is wrong: actual has shape"),
        (
            replace(FINISHED, comparison=None, variables=frozenset({"actual"})),
            "after.py leaves no expected",
        ),
        (
            replace(FINISHED, comparison=None, variables=frozenset()),
            "after.py leaves no actual and no expected",
        ),
    ],
)
def test_after_fails_otherwise(judged: Judged, report: Report, says: str) -> None:
    result = judged("after", report)
    assert result.outcome is Outcome.FAILED
    assert says in (result.reason or "")


def test_nothing_to_compare_is_a_reason_only_while_it_is_true(judged: Judged) -> None:
    example = {"requires": ["cpu"], "nothing_to_compare": "It only prints."}
    silent = replace(FINISHED, comparison=None, variables=frozenset())
    assert judged("after", silent, example=example).reason == "It only prints."
    result = judged("after", FINISHED, example=example)
    assert result.outcome is Outcome.FAILED
    assert "is not needed" in (result.reason or "")


def test_the_compile_place_compares_nothing_but_must_compile(judged: Judged) -> None:
    example = {"requires": ["compile"]}
    poisoned = replace(FINISHED, comparison=None, compiled=1)
    result = judged("after", poisoned, place=Place.COMPILE, example=example)
    assert (result.outcome, result.reason) == (Outcome.PASSED, NOT_LAUNCHED)
    nothing = replace(poisoned, compiled=0)
    result = judged("after", nothing, place=Place.COMPILE, example=example)
    assert (result.outcome, result.reason) == (
        Outcome.FAILED,
        "after.py compiled no kernel (seed 5)",
    )


SILENT = {"kind": "silent", "exceptions": None, "messages": None}


def test_a_silent_before_shows_wrong_numbers(judged: Judged) -> None:
    result = judged("before", replace(FINISHED, comparison=DIFFER), **SILENT)
    assert result == Judgement(Outcome.PASSED, None, None, 0.5)


@pytest.mark.parametrize(
    ("report", "says"),
    [
        (FINISHED, "does not show the wrong numbers: 8 elements agree"),
        (replace(FINISHED, comparison=UNUSABLE), "does not show the wrong numbers: actual has"),
        (RAISED, "must fail silently, but it raised ValueError"),
        (replace(FINISHED, comparison=None, variables=frozenset()), "leaves no actual"),
    ],
)
def test_a_silent_before_fails_otherwise(judged: Judged, report: Report, says: str) -> None:
    result = judged("before", report, **SILENT)
    assert result.outcome is Outcome.FAILED
    assert says in (result.reason or "")


@pytest.mark.parametrize(
    ("item", "outcome", "says"),
    [
        ("before", GuardOutcome.REJECTED, None),
        ("before", GuardOutcome.PASSED, "guard.py lets pass what before.py left"),
        ("before", GuardOutcome.BROKEN, "guard.py itself fails after before.py: NameError: x"),
        ("after", GuardOutcome.PASSED, None),
        ("after", GuardOutcome.REJECTED, "guard.py rejects what after.py left: NameError: x"),
        ("after", GuardOutcome.BROKEN, "guard.py itself fails after after.py: NameError: x"),
    ],
)
def test_the_guard_tells_before_from_after(
    judged: Judged, item: str, outcome: GuardOutcome, says: str | None
) -> None:
    report = replace(RAISED if item == "before" else FINISHED, guard=Guard(outcome, "NameError: x"))
    result = judged(item, report)
    assert result.outcome is (Outcome.FAILED if says else Outcome.PASSED)
    assert (says or "") in (result.reason or "")


def test_a_waiver_explains_a_failure_and_fails_when_it_is_not_needed(judged: Judged) -> None:
    waiver = {"item": "before", "place": "cpu", "reason": "The interpreter does not see it."}
    example = {"requires": ["cpu"], "waivers": [waiver]}
    result = judged("before", FINISHED, example=example)
    assert result.outcome is Outcome.NOT_RUN
    assert (result.reason or "").startswith("waived: The interpreter does not see it. (before.py")
    result = judged("before", RAISED, example=example)
    assert result.outcome is Outcome.FAILED
    assert "the waiver of before in cpu is not needed" in (result.reason or "")
    assert judged("after", FINISHED, example=example).outcome is Outcome.PASSED
