"""errorkb verify: execute the examples, and write what happened into the ledgers."""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path

from errorkb import ledger, needs
from errorkb.environment import describe
from errorkb.errors import BAD_INPUT, FOUND, NOT_FOUND, UsageError
from errorkb.layout import Layout
from errorkb.model import Environment, Ledger, Outcome, Place
from errorkb.plan import Task, problems, tasks
from errorkb.present import plain
from errorkb.store import Library, load
from errorkb.verify import Checked, Verifier, lookup_answer

HELP = "execute the examples of some or all records and compare with what the records claim"

_NAME = re.compile(r"[a-z0-9]+([.-][a-z0-9]+)*")
_TAIL = 30
"""Lines of a failed script's output that the summary shows."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `errorkb verify`."""
    parser.add_argument("names", nargs="*", metavar="CODE|SLUG", help="records (default: all)")
    parser.add_argument(
        "--device",
        action="append",
        choices=[place.value for place in Place],
        default=[],
        help="where to run; may be repeated (default: the best this machine has)",
    )
    parser.add_argument("--write", action="store_true", help="merge the results into the ledgers")
    parser.add_argument(
        "--environment",
        metavar="NAME",
        help="the ledger's name where the usual one of the place will not do; needs one --device",
    )
    parser.add_argument(
        "--survey",
        metavar="LABEL",
        help="see what another version prints: write ledgers named triton-PLACE-LABEL, in which a "
        "failure says that the version differs and not that the record is wrong",
    )
    parser.add_argument("--jobs", type=int, default=1, help="scripts at a time (default: 1)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(args: argparse.Namespace) -> int:
    """Exit code 0 when nothing failed, 1 when something did, 2 when something could not run."""
    _check(args)
    layout = Layout.chosen(args.root)
    if args.write and layout.root == Path(__file__).parent.parent:
        raise UsageError("an installed package has no ledgers to write; work in a checkout")
    library = load(layout)
    wanted = [Place(place) for place in args.device]
    tasks(library, args.names, wanted or list(Place))  # a misspelt name is said before all else
    if args.write:
        with ledger.alone(layout):  # and a folder that cannot be written before anything runs
            pass
    with Verifier(library, lookup_answer(library)) as verifier:
        places = verifier.places(wanted)
        todo, lacking = _able(library, tasks(library, args.names, places))
        environments = {
            place: describe(place, verifier.machine(place), layout, args.environment, args.survey)
            for place in dict.fromkeys(task.place for task in todo)
        }
        checked: list[Checked] = []
        progress = _Progress(len(todo))
        try:
            verifier.check_all(todo, jobs=args.jobs, done=lambda c: _done(c, checked, progress))
        finally:  # what ran before an interruption ran
            progress.clear()
            written = _write(library, environments, checked) if args.write else []
    wrong = problems(library) if not args.names else []
    if args.json:
        _print_json(environments, checked, wrong)
    else:
        _print_summary(environments, checked, wrong, written)
    failed = not args.survey and any(each.result.outcome is Outcome.FAILED for each in checked)
    if lacking is not None:
        print(f"errorkb: {lacking}", file=sys.stderr)
    if failed or wrong:
        return NOT_FOUND
    return FOUND if lacking is None else BAD_INPUT


def _able(library: Library, todo: list[Task]) -> tuple[list[Task], str | None]:
    """The tasks that can run here, and what to install for the others.

    Raises:
        UsageError: none of them can.
    """
    able, packages, number = needs.split(library, todo)
    if not packages:
        return able, None
    said = needs.sentence(packages, number, len(todo))
    if not able:
        raise UsageError(said)
    return able, said


def _check(args: argparse.Namespace) -> None:
    if args.jobs < 1:
        raise UsageError("--jobs takes a number of at least 1")
    for option, name in (("--environment", args.environment), ("--survey", args.survey)):
        if name is not None and not _NAME.fullmatch(name):
            raise UsageError(f"{option} takes lower case letters, digits, '.' and '-'")
    if args.environment is None:
        return
    if args.survey is not None:
        raise UsageError("--survey names its ledgers, so --environment has nothing to name")
    if len(args.device) != 1:
        raise UsageError("--environment names one ledger, so give exactly one --device")


def _done(checked: Checked, all_checked: list[Checked], progress: _Progress) -> None:
    all_checked.append(checked)
    progress.show(checked)


def _write(
    library: Library, environments: dict[Place, Environment], checked: list[Checked]
) -> list[Path]:
    written = []
    with ledger.alone(library.layout):
        known = {each.environment.name: each for each in library.ledgers()}
        for place, environment in environments.items():
            results = [each.result for each in checked if each.task.place is place]
            if results:
                new = Ledger(environment=environment, results=results)
                merged = ledger.merge(known.get(environment.name), new, library)
                written.append(ledger.write(merged, library.layout))
    return written


class _Progress:
    """One line on a terminal, rewritten; nothing elsewhere."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._count = 0
        self._failed = 0
        self._on = sys.stderr.isatty()

    def show(self, checked: Checked) -> None:
        self._count += 1
        self._failed += checked.result.outcome is Outcome.FAILED
        if self._on:
            failed = f", {self._failed} failed" if self._failed else ""
            line = f"[{self._count}/{self._total}{failed}] {checked.task}"
            print(f"\r\x1b[2K{line[:78]}", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        if self._on:
            print("\r\x1b[2K", end="", file=sys.stderr, flush=True)


def _print_summary(
    environments: dict[Place, Environment],
    checked: list[Checked],
    wrong: list[str],
    written: list[Path],
) -> None:
    for each in checked:
        if each.result.outcome is Outcome.FAILED:
            print(plain(f"FAILED {each.task}: {each.result.reason}"))
            for line in each.output.rstrip().splitlines()[-_TAIL:]:
                print(plain(f"    {line}"))
    for each in checked:
        if each.result.outcome is Outcome.NOT_RUN:
            print(f"not run {each.task}: {each.result.reason}")
    for sentence in wrong:
        print(f"WRONG {sentence}")
    for place, environment in environments.items():
        here = [each.result for each in checked if each.task.place is place]
        counts = {outcome: sum(r.outcome is outcome for r in here) for outcome in Outcome}
        seconds = sum(result.seconds for result in here)
        print(
            f"{environment.name}: {counts[Outcome.PASSED]} passed, "
            f"{counts[Outcome.FAILED]} failed, {counts[Outcome.NOT_RUN]} not run "
            f"of {len({r.slug for r in here})} records in {seconds:.1f} s"
        )
    if not checked:
        print("nothing to run")
    for path in written:
        print(f"wrote {path}")


def _print_json(
    environments: dict[Place, Environment], checked: list[Checked], wrong: list[str]
) -> None:
    ledgers = [
        Ledger(
            environment=environment,
            results=[each.result for each in checked if each.task.place is place],
        )
        for place, environment in environments.items()
    ]
    data = {
        "ledgers": [each.model_dump(mode="json", by_alias=True) for each in ledgers],
        "problems": wrong,
    }
    json.dump(data, sys.stdout, indent=2, ensure_ascii=False)
    print()
