"""Decide which items run where, and what in the example folders stands in the way.

An item is `before`, `after`, a trigger or a recipe of one record; a task is one item in one place.
"""

from __future__ import annotations

import importlib.metadata
import operator
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from errorkb.environment import COMPILE_CAPABILITY, Machine
from errorkb.errors import UsageError
from errorkb.model import ErrorRecord, Example, Item, Place, Recipe, Slug, Waiver
from errorkb.recipe import line_number
from errorkb.store import Library

_COMPARE = {">=": operator.ge, "==": operator.eq, "<": operator.lt}


@dataclass(frozen=True)
class Task:
    """One item of a record in one place."""

    slug: Slug
    record: ErrorRecord
    item: Item
    place: Place

    @property
    def example(self) -> Example:
        if self.record.example is None:  # tasks are made of records with an example
            raise ValueError(f"{self.slug} has no example")
        return self.record.example

    @property
    def waiver(self) -> Waiver | None:
        for waiver in self.example.waivers:
            if (waiver.item, waiver.place) == (self.item, self.place):
                return waiver
        return None

    @property
    def recipe(self) -> Recipe | None:
        """The recipe whose item this is; None for a script that is run plainly."""
        for recipe in self.record.recipes:
            if recipe.item == self.item:
                return recipe
        return None

    @property
    def script(self) -> Item:
        """The item whose file is run."""
        return self.item if self.recipe is None else self.recipe.script

    @property
    def alone(self) -> bool:
        """Whether a neighbour that runs at the same time could change what it shows."""
        return self.example.isolation == "process" or self.recipe is not None

    def __str__(self) -> str:
        return f"{self.slug} {self.item} ({self.place})"


def default_places(gpu: bool) -> list[Place]:
    """What runs without `--device`: a GPU shows all that the interpreter does, and more."""
    return [Place.GPU if gpu else Place.INTERPRETER, Place.COMPILE, Place.CPU]


def tasks(library: Library, names: Sequence[str], places: Sequence[Place]) -> list[Task]:
    """The items of the named records (all without names) in those of `places` that they require.

    Ordered by place, then record, then item.

    Raises:
        UsageError: a name is unknown, or nothing of a named record runs in `places`.
    """
    slugs = [library.find(name)[0] for name in names] or list(library.records)
    for slug in slugs if names else ():
        _must_run(library.records[slug], slug, places)
    return [
        Task(slug, record, item, place)
        for place in places
        for slug, record in ((slug, library.records[slug]) for slug in dict.fromkeys(slugs))
        if record.example is not None and place in record.example.requires
        for item in library.items(slug)
    ]


def _must_run(record: ErrorRecord, slug: Slug, places: Sequence[Place]) -> None:
    if record.example is None:
        raise UsageError(f"{slug} is documented, not executed: {record.not_executed}")
    if not set(record.example.requires) & set(places):
        required = ", ".join(record.example.requires)
        raise UsageError(
            f"{slug} runs in {required} and not in {', '.join(places)}; "
            f"give --device {record.example.requires[0]}"
        )


def unmet(example: Example, place: Place, machine: Machine) -> str | None:
    """Why this machine cannot run an example in a place that it requires; None where it can."""
    wanted = example.compute_capability
    if wanted is not None and place in (Place.GPU, Place.COMPILE):
        number = wanted.lstrip("<>=")
        comparison = _COMPARE[wanted.removesuffix(number)]
        here = COMPILE_CAPABILITY if place is Place.COMPILE else _capability(machine)
        if not comparison(here, _numbers(number)):
            return f"needs compute capability {wanted}; this is {'.'.join(map(str, here))}"
    for name, specifier in sorted(example.packages.items()):
        reason = _package(name, specifier)
        if reason is not None:
            return reason
    return None


def _capability(machine: Machine) -> tuple[int, ...]:
    return _numbers(machine.compute_capability or "0.0")


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split("."))


def _package(name: str, specifier: str) -> str | None:
    from packaging.specifiers import SpecifierSet

    try:
        version = importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return f"needs {name} {specifier}, which is not installed".replace(" *", "")
    if specifier != "*" and not SpecifierSet(specifier).contains(version, prereleases=True):
        return f"needs {name} {specifier}; {version} is installed"
    return None


def problems(library: Library) -> list[str]:
    """What is wrong with the example folders whatever the scripts do, one sentence each."""
    found = list(_unknown_folders(library))
    for slug, record in library.records.items():
        folder = library.layout.examples / slug
        if record.example is None:
            if folder.exists():
                found.append(f"{folder}: {slug} is not executed, so it has no example folder")
            continue
        if not folder.is_dir():
            found.append(f"{folder} is missing: the example of {slug} belongs there")
        known = {f"{item}.py" for item in library.scripts(slug)} | {"guard.py"}
        for path in _entries(folder):
            if path.name not in known:
                found.append(f"{path}: nothing in the record {slug} refers to this file")
        for waiver in record.example.waivers:
            if (
                waiver.item not in library.items(slug)
                or waiver.place not in record.example.requires
            ):
                found.append(
                    f"{library.record_path(slug)}: the waiver of {waiver.item} in {waiver.place} "
                    f"is for something that does not run"
                )
        found += _recipe_problems(library, slug, record)
    return found


def _recipe_problems(library: Library, slug: Slug, record: ErrorRecord) -> Iterator[str]:
    for recipe in record.recipes:
        text = library.example_text(slug, recipe.script)
        if text is not None and line_number(text, recipe.names) is None:
            yield (
                f"{library.record_path(slug)}: the recipe of {recipe.tool} names a line that is "
                f"not exactly once in {recipe.script}.py: {recipe.names}"
            )


def _unknown_folders(library: Library) -> Iterator[str]:
    for family in _entries(library.layout.examples):
        for folder in _entries(family):
            slug = f"{family.name}/{folder.name}"
            if slug not in library.records:
                yield f"{folder}: there is no record {slug}; errorkb new {slug} writes one"


def _entries(folder: Path) -> list[Path]:
    """What lies in a folder, without caches and hidden files; nothing where there is none."""
    if not folder.is_dir():
        return []
    return sorted(p for p in folder.iterdir() if not p.name.startswith((".", "__")))
