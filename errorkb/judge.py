"""Decide from a report whether an item did what its record claims.

before, trigger_<name>   the record's exception, with one of its messages, which a lookup of the
                         printed text answers with this record; for a silent record: numbers
                         that differ from the reference
after                    ends by itself, and its numbers agree with the reference
recipe_<tool>            what the tool prints names the line that the record names
guard.py                 rejects what before.py left and lets pass what after.py left
"""

from __future__ import annotations

import builtins
from collections.abc import Iterable
from dataclasses import dataclass

from errorkb.compare import Verdict
from errorkb.model import AFTER, BEFORE, Kind, Outcome, Place, Recipe
from errorkb.pattern import Template
from errorkb.plan import Task
from errorkb.recipe import Answer, MissedError, Run, named
from errorkb.runner import Ended, GuardOutcome, Raised, Report
from errorkb.traceback import parse

NOT_LAUNCHED = "compiled for sm_90; not launched, numbers not compared"
SHOWN = 300
"""Characters of a message that a reason quotes."""


@dataclass(frozen=True)
class Judgement:
    """Outcome and reason as in the ledger; `message` is the exception as printed."""

    outcome: Outcome
    reason: str | None
    message: str | None = None
    max_error: float | None = None


class _FailedError(Exception):
    """The reason, as a sentence."""


def judge(task: Task, report: Report, answer: Answer) -> Judgement:
    """Judge the report of a script."""
    return with_waiver(task, _judge(task, report, answer))


def judge_recipe(task: Task, recipe: Recipe, run: Run, text: str, answer: Answer) -> Judgement:
    """Judge what the tool of a task's recipe printed about the script with this text."""
    try:
        shown = named(recipe, task.slug, run, text, answer)
    except MissedError as missed:
        return with_waiver(task, Judgement(Outcome.FAILED, str(missed)))
    return with_waiver(task, Judgement(Outcome.PASSED, None, shown))


def with_waiver(task: Task, plain: Judgement) -> Judgement:
    """A waiver turns a failure into `not-run` and a pass into a failure."""
    waiver = task.waiver
    if waiver is None:
        return plain
    if plain.outcome is Outcome.PASSED:
        reason = f"the waiver of {task.item} in {task.place} is not needed: it passes; remove it"
        return Judgement(Outcome.FAILED, reason, plain.message, plain.max_error)
    return Judgement(Outcome.NOT_RUN, f"waived: {waiver.reason} ({plain.reason})", plain.message)


def _judge(task: Task, report: Report, answer: Answer) -> Judgement:
    message = report.exceptions[0].printed if report.exceptions else None
    error = report.comparison.max_error if report.comparison is not None else None
    try:
        if report.ended in (Ended.KILLED, Ended.TIMED_OUT, Ended.FLOODED, Ended.LOST):
            raise _FailedError(f"{task.item}.py {report.detail}{_last_line(report)}")
        if task.item == AFTER:
            reason = _after(task, report)
        elif task.record.kind is Kind.SILENT:
            _silent(task, report)
            reason = None
        else:
            message = _raises(task, report, answer)
            reason, error = None, None
        _guard(task, report)
    except _FailedError as failed:
        return Judgement(Outcome.FAILED, f"{failed} (seed {report.seed})", message, error)
    return Judgement(Outcome.PASSED, reason, message, error)


def _after(task: Task, report: Report) -> str | None:
    """What a pass did not compare, and why; None where all was compared."""
    if report.ended is not Ended.FINISHED:
        raise _FailedError(f"after.py must end by itself, but it {_how(report)}")
    if task.place is Place.COMPILE:
        if report.compiled == 0:
            raise _FailedError("after.py compiled no kernel")
        return NOT_LAUNCHED
    waiver = task.example.nothing_to_compare
    if waiver is not None:
        if report.comparison is not None:
            raise _FailedError(
                "nothing_to_compare is not needed: after.py leaves actual and expected; remove it"
            )
        return waiver
    _must_leave_both(task, report)
    if report.comparison is None or report.comparison.verdict is not Verdict.AGREE:
        raise _FailedError(f"after.py is wrong: {_sentence(report)}")
    return None


def _silent(task: Task, report: Report) -> None:
    if report.ended is not Ended.FINISHED:
        raise _FailedError(f"{task.item}.py must fail silently, but it {_how(report)}")
    if task.place is Place.COMPILE:
        raise _FailedError("a silent error needs numbers, and the compile place has none")
    _must_leave_both(task, report)
    if report.comparison is None or report.comparison.verdict is not Verdict.DIFFER:
        raise _FailedError(f"{task.item}.py does not show the wrong numbers: {_sentence(report)}")


def _raises(task: Task, report: Report, answer: Answer) -> str:
    """The exception of the record, as printed."""
    if report.ended is Ended.FINISHED:
        raise _FailedError(f"{task.item}.py must fail, but it finished")
    names = task.record.exceptions
    candidates = list(_exceptions(report) if names else _lines(report))
    if not candidates:
        raise _FailedError(f"{task.item}.py {_how(report)} and printed no exception")
    named = [raised for raised in candidates if not names or _is_one_of(raised.name, names)]
    if not named:
        raise _FailedError(f"{task.item}.py must raise {' or '.join(names)}, but it {_how(report)}")
    templates = [Template.parse(message.template) for message in task.record.messages]
    for raised in named:
        if any(template.match(raised.message) is not None for template in templates):
            break
    else:
        raise _FailedError(f"no message of the record matches {_quote(named[:3])}")
    first = answer(report.output)
    if first != task.slug:
        found = f"with {first}" if first is not None else "with no record"
        raise _FailedError(
            f"lookup answers what {task.item}.py printed {found}: {_quote([raised])}"
        )
    return raised.printed


def _is_one_of(name: str, names: Iterable[str]) -> bool:
    """Whether a class is named; text such as `PTXASError('...')` leaves the module out.

    Built-in classes never have one, so these are named as they are or not at all.
    """
    quoted = "." not in name and not hasattr(builtins, name)
    return any(name == (each.rpartition(".")[2] if quoted else each) for each in names)


def _exceptions(report: Report) -> Iterable[Raised]:
    """The exceptions of the script, then those that can be read from what it printed.

    Only the text shows what a compile error says below its source excerpt, and what a process said
    whose exit code the script passed on. A bare message is its wrapper's.
    """
    yield from report.exceptions
    wrapper = report.exceptions[0].name if report.exceptions else ""
    for printed in parse(report.output).exceptions:
        name = printed.cls or wrapper
        yield Raised(name, printed.message, f"{name}: {printed.message}")


def _lines(report: Report) -> Iterable[Raised]:
    """For records without a class (a linker's words, say): the exceptions and every line."""
    yield from report.exceptions
    for line in report.output.splitlines():
        if line.strip():
            yield Raised("", line.strip(), line.strip())


def _guard(task: Task, report: Report) -> None:
    guard = report.guard
    if guard is None:
        return
    if guard.outcome is GuardOutcome.BROKEN:
        raise _FailedError(f"guard.py itself fails after {task.item}.py: {guard.sentence}")
    if task.item == BEFORE and guard.outcome is GuardOutcome.PASSED:
        raise _FailedError("guard.py lets pass what before.py left")
    if task.item == AFTER and guard.outcome is GuardOutcome.REJECTED:
        raise _FailedError(f"guard.py rejects what after.py left: {guard.sentence}")


def _must_leave_both(task: Task, report: Report) -> None:
    missing = sorted({"actual", "expected"} - report.variables)
    if missing:
        raise _FailedError(f"{task.item}.py leaves no {' and no '.join(missing)}")


def _sentence(report: Report) -> str:
    return report.comparison.sentence if report.comparison is not None else "nothing was compared"


def _how(report: Report) -> str:
    if report.exceptions:
        return f"raised {_quote(report.exceptions[:1])}"
    return f"ended with {report.detail}{_last_line(report)}"


def _quote(exceptions: Iterable[Raised]) -> str:
    return " <- ".join(_shortened(raised.printed) for raised in exceptions)


def _last_line(report: Report) -> str:
    lines = report.output.strip().splitlines()
    return f", after printing {_shortened(lines[-1])!r}" if lines else ""


def _shortened(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= SHOWN else f"{flat[:SHOWN]}..."
