"""Collect the examples: one test per script and place, run as `errorkb verify` runs them.

    pytest examples [--device gpu|interpreter|compile|cpu]

What a record requires and neither this machine nor `--device` offers is deselected and counted.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from errorkb.errors import UsageError
from errorkb.layout import Layout
from errorkb.model import Outcome, Place
from errorkb.plan import Task, tasks
from errorkb.store import Library, load
from errorkb.verify import Checked, Verifier, lookup_answer

_VERIFIER = pytest.StashKey[Verifier]()
_EXAMPLES = Path(__file__).parent


def pytest_collect_directory(path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """A family of examples is collected by its records, so that a missing file is a failure."""
    if path.parent == _EXAMPLES and not path.name.startswith((".", "__")):
        return Family.from_parent(parent, path=path)
    return None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect what cannot run here."""
    if not any(isinstance(item, ExampleItem) for item in items):
        return
    verifier = _verifier(config)
    device = config.getoption("--device")
    if device is not None and device not in list(Place):
        raise pytest.UsageError(f"--device takes {', '.join(Place)}, not {device!r}")
    try:
        places = verifier.places([Place(device)] if device else [])
    except UsageError as error:
        raise pytest.UsageError(str(error)) from None
    deselected = [
        item
        for item in items
        if isinstance(item, ExampleItem)
        and (item.task.place not in places or verifier.unmet(item.task) is not None)
    ]
    config.hook.pytest_deselected(items=deselected)
    items[:] = [item for item in items if item not in set(deselected)]


def pytest_unconfigure(config: pytest.Config) -> None:
    """End the processes and remove their files."""
    if _VERIFIER in config.stash:
        config.stash[_VERIFIER].close()


def _verifier(config: pytest.Config) -> Verifier:
    if _VERIFIER not in config.stash:
        library = load(Layout.find(_EXAMPLES))
        config.stash[_VERIFIER] = Verifier(library, lookup_answer(library))
    return config.stash[_VERIFIER]


class Family(pytest.Directory):
    """`examples/<family>`."""

    def collect(self) -> Iterator[pytest.Collector]:
        """One folder for each executed record of the family, whether the folder exists or not."""
        try:
            library = _verifier(self.config).library
        except UsageError as error:
            raise self.CollectError(str(error)) from None
        for slug, record in library.records.items():
            family, _, name = slug.partition("/")
            if family == self.path.name and record.example is not None:
                yield Folder.from_parent(self, path=self.path / name, slug=slug, library=library)


class Folder(pytest.Directory):
    """`examples/<family>/<name>`."""

    slug: str
    library: Library

    @classmethod
    def from_parent(  # type: ignore[override]  # pytest lets collectors add keywords
        cls, parent: pytest.Collector, *, path: Path, slug: str, library: Library
    ) -> Folder:
        folder: Folder = super().from_parent(parent, path=path)
        folder.slug, folder.library = slug, library
        return folder

    def collect(self) -> Iterator[pytest.Collector]:
        """The scripts that the record names."""
        everywhere = tasks(self.library, [self.slug], list(Place))
        for item in self.library.items(self.slug):
            of_item = [task for task in everywhere if task.item == item]
            yield Script.from_parent(self, path=self.path / f"{item}.py", tasks=of_item)


class Script(pytest.File):
    """One script."""

    tasks: list[Task]

    @classmethod
    def from_parent(  # type: ignore[override]  # pytest lets collectors add keywords
        cls, parent: pytest.Collector, *, path: Path, tasks: list[Task]
    ) -> Script:
        script: Script = super().from_parent(parent, path=path)
        script.tasks = tasks
        return script

    def collect(self) -> Iterator[pytest.Item]:
        """One test for each place that the record requires."""
        for task in self.tasks:
            yield ExampleItem.from_parent(self, name=task.place.value, task=task)


class _FailedError(Exception):
    """An item that did not do what its record claims."""

    def __init__(self, checked: Checked) -> None:
        super().__init__(checked.result.reason)
        self.output = checked.output


class ExampleItem(pytest.Item):
    """One script in one place."""

    task: Task

    @classmethod
    def from_parent(  # type: ignore[override]  # pytest lets items add keywords
        cls, parent: pytest.Collector, *, name: str, task: Task
    ) -> ExampleItem:
        item: ExampleItem = super().from_parent(parent, name=name)
        item.task = task
        return item

    def runtest(self) -> None:
        """Run the script; fail with the reason, or expect the failure that a waiver explains."""
        checked = _verifier(self.config).check(self.task)
        if checked.result.outcome is Outcome.FAILED:
            raise _FailedError(checked)
        if checked.result.outcome is Outcome.NOT_RUN:
            pytest.xfail(checked.result.reason or "")

    def repr_failure(  # type: ignore[override]  # the style is pytest's matter
        self, excinfo: pytest.ExceptionInfo[BaseException]
    ) -> object:
        """The reason, then what the script printed."""
        if isinstance(excinfo.value, _FailedError):
            return f"{excinfo.value}\n\n{excinfo.value.output}".rstrip()
        return super().repr_failure(excinfo)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where the script is, and what is run."""
        return self.path, 0, str(self.task)
