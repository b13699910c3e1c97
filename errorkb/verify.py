"""Run items, judge them, and turn the judgements into results of a ledger.

`errorkb verify` and `pytest examples` both run through `Verifier.check`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock, local
from typing import Self

from errorkb.environment import Machine, probe
from errorkb.errors import UsageError
from errorkb.fingerprint import fingerprint
from errorkb.indexer import index_of
from errorkb.judge import Judgement, judge, judge_recipe
from errorkb.lookup import first_slug
from errorkb.model import AFTER, BEFORE, Outcome, Place, Recipe, Result
from errorkb.plan import Task, default_places, unmet
from errorkb.recipe import Answer, missing_tool
from errorkb.recipe import run as run_recipe
from errorkb.runner import Case, Report, Runner
from errorkb.store import Library

MAX_MESSAGE = 4_000
"""Characters of a printed message that the ledger keeps."""
TOOL_SLOWER = 3
"""A recipe has this many times the time limit of its example: compute-sanitizer watches every
access."""


@dataclass(frozen=True)
class Checked:
    """A task, its result, and what the script printed; `output` is empty where nothing ran."""

    task: Task
    result: Result
    output: str


class Verifier:
    """Checks tasks, each thread with processes of its own; use as a context manager.

    Args:
        library: the records and their examples.
        answer: what a lookup answers; see `errorkb.judge`.
    """

    def __init__(self, library: Library, answer: Answer) -> None:
        self.library = library
        self._answer = answer
        self._machines: dict[Place, Machine] = {}
        self._runners = local()
        self._open = ExitStack()
        self._lock = Lock()
        self._cache: Path | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """End all processes and remove their files."""
        self._open.close()

    def machine(self, place: Place) -> Machine:
        """What `place` has here; asked once."""
        with self._lock:
            if place not in self._machines:
                self._machines[place] = probe(place)
            return self._machines[place]

    def places(self, wanted: Sequence[Place]) -> list[Place]:
        """`wanted`, or the best that this machine has where nothing is wanted.

        Raises:
            UsageError: a wanted place does not exist here.
        """
        if not wanted:
            return default_places(self.machine(Place.GPU).missing(Place.GPU) is None)
        for place in wanted:
            missing = self.machine(place).missing(place)
            if missing is not None:
                raise UsageError(f"{missing}; --device takes {', '.join(Place)}")
        return list(dict.fromkeys(wanted))

    def unmet(self, task: Task) -> str | None:
        """Why the task cannot run here; None where it can."""
        missing = missing_tool(task.recipe.tool) if task.recipe is not None else None
        return missing or unmet(task.example, task.place, self.machine(task.place))

    def check(self, task: Task) -> Checked:
        """Run one task, or say why it did not run."""
        started = time.perf_counter()
        reason = self.unmet(task)
        if reason is not None:
            return self._checked(task, Judgement(Outcome.NOT_RUN, reason), 0.0, "")
        text = self.library.example_text(task.slug, task.script)
        if text is None:
            path = self.library.example_path(task.slug, task.script)
            return self._checked(task, Judgement(Outcome.FAILED, f"{path} is missing"), 0.0, "")
        if task.recipe is not None:
            return self._check_recipe(task, task.recipe, text)
        report = self._run(task)
        # A killed script reports nothing; else its own time, without that of loading frameworks.
        seconds = report.seconds or time.perf_counter() - started
        return self._checked(task, judge(task, report, self._answer), seconds, report.output)

    def _check_recipe(self, task: Task, recipe: Recipe, text: str) -> Checked:
        run = run_recipe(
            recipe.tool,
            self.library.example_path(task.slug, task.script),
            task.place,
            path=self._kernels(),
            timeout=TOOL_SLOWER * task.example.timeout_seconds,
        )
        judgement = judge_recipe(task, recipe, run, text, self._answer)
        return self._checked(task, judgement, run.seconds, run.output)

    def check_all(
        self, tasks: Iterable[Task], *, jobs: int, done: Callable[[Checked], None]
    ) -> None:
        """Check tasks, `jobs` at a time; `done` gets each result as it comes, from one thread.

        Examples that ask for a process of their own, and recipes, run alone after the others: what
        they show (memory that runs out, a cache that cannot be written) could depend on a
        neighbour.
        """
        tasks = list(tasks)
        shared = [task for task in tasks if jobs > 1 and not task.alone]
        pool = ThreadPoolExecutor(jobs)
        try:
            for future in as_completed([pool.submit(self.check, task) for task in shared]):
                done(future.result())
        except BaseException:
            self.close()  # or the pool would wait for its scripts to end by themselves
            raise
        finally:
            pool.shutdown(cancel_futures=True)
        for task in tasks:
            if task not in shared:
                done(self.check(task))

    def _run(self, task: Task) -> Report:
        guard = self.library.example_path(task.slug, "guard")
        example = task.example
        case = Case(
            script=self.library.example_path(task.slug, task.item),
            guard=guard if task.item in (BEFORE, AFTER) and guard.exists() else None,
            fresh=example.isolation == "process",
            timeout=example.timeout_seconds,
            relative=example.tolerance.relative if example.tolerance is not None else None,
        )
        return self._runner(task.place).run(case)

    def _runner(self, place: Place) -> Runner:
        runners: dict[Place, Runner] = self._runners.__dict__.setdefault("of", {})
        if place not in runners:
            with self._lock:
                if self._cache is None:
                    self._cache = Path(self._open.enter_context(TemporaryDirectory()))
                runners[place] = Runner(place, path=self._kernels(), cache=self._cache)
                self._open.enter_context(runners[place])
        return runners[place]

    def _kernels(self) -> list[Path]:
        """The hash of a result covers the checkout's kernels, so these must be what runs."""
        kernels = self.library.layout.kernels
        return [kernels] if kernels is not None else []

    def _checked(self, task: Task, judgement: Judgement, seconds: float, output: str) -> Checked:
        result = Result(
            code=task.record.code,
            slug=task.slug,
            item=task.item,
            outcome=judgement.outcome,
            reason=self._portable(judgement.reason),
            message=self._portable(judgement.message),
            max_error=judgement.max_error,
            seconds=round(seconds, 3),
            hash=fingerprint(self.library, task.slug),
            date=datetime.now(UTC).replace(microsecond=0),
        )
        return Checked(task, result, output)

    def _portable(self, text: str | None) -> str | None:
        """Paths below the checkout as they are seen from it; a very long text cut."""
        if text is None:
            return None
        text = text.replace(f"{self.library.layout.root}/", "")
        return text if len(text) <= MAX_MESSAGE else f"{text[:MAX_MESSAGE]}..."


def lookup_answer(library: Library) -> Answer:
    """What `errorkb lookup` puts first, from the records as they are in memory."""
    index = index_of(library)
    return lambda text: first_slug(index, text)
