"""What scripts import and this machine lacks, to be said once and not by each script."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path

from errorkb.model import Place
from errorkb.plan import Task
from errorkb.store import Library, read_text

_BRINGS = {
    # what a script imports: what must be installed for it
    "torch": ("torch",),
    "triton": ("triton",),
    "kda_kernels": ("torch", "triton", "numpy"),
}


def split(library: Library, todo: Sequence[Task]) -> tuple[list[Task], list[str], int]:
    """Tell the tasks that can run here from those that lack a package.

    Returns:
        The tasks that can run, the packages that others lack, and how many these are.
    """
    able: list[Task] = []
    lacking: set[str] = set()
    installed = _installed()
    for task in todo:
        lacks = _needs(library, task) - installed
        lacking |= lacks
        if not lacks:
            able.append(task)
    return able, sorted(lacking), len(todo) - len(able)


def sentence(packages: Sequence[str], number: int, total: int) -> str:
    """What to install for the tasks that cannot run."""
    what = " and ".join(filter(None, [", ".join(packages[:-1]), packages[-1]]))
    which = "these scripts need" if number == total else f"{number} of {total} scripts need"
    missing = "is not installed" if len(packages) == 1 else "are not installed"
    return f"{which} {what}, which {missing} here: pip install {' '.join(packages)}"


def _needs(library: Library, task: Task) -> set[str]:
    # Of these places the machinery itself is made with both.
    needs = set() if task.place is Place.CPU else {"torch", "triton"}
    if task.example.packages:
        needs.add("packaging")
    for path in _scripts(library, task):
        for name in _imported(path, library.layout.examples):
            needs.update(_BRINGS.get(name, ()))
    return needs


def _installed() -> set[str]:
    known = {"packaging", *(name for names in _BRINGS.values() for name in names)}
    return {name for name in known if find_spec(name) is not None}


def _scripts(library: Library, task: Task) -> Iterable[Path]:
    """The files that run for a task; one that is missing is said when it should run."""
    paths = [library.example_path(task.slug, item) for item in (task.script, "guard")]
    return filter(Path.exists, paths)


def _imported(path: Path, examples: Path) -> set[str]:
    """The top-level names that a script imports; nothing of one that is no Python."""
    try:
        tree = ast.parse(read_text(path, within=examples))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return set()
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names.add((node.module or "").partition(".")[0])
    return names
