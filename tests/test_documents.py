"""README, CONTRIBUTING, CHANGELOG and Makefile say what is so."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from importlib.metadata import metadata
from pathlib import Path

import pytest
from packaging.specifiers import SpecifierSet

from errorkb import __version__
from errorkb.captures import TYPES
from errorkb.cli import COMMANDS
from errorkb.layout import Layout
from errorkb.model import ErrorRecord, Kind, Place
from errorkb.scaffold import new_record
from errorkb.store import load

ROOT = Path(__file__).parents[1]
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text()
README = (ROOT / "README.md").read_text()
CHANGELOG = (ROOT / "CHANGELOG.md").read_text()
MAKEFILE = (ROOT / "Makefile").read_text()


def first_column() -> set[str]:
    """The names in backticks of the first cell of each row of CONTRIBUTING's tables."""
    rows = re.findall(r"^ *\| (`[^|]+) \|", CONTRIBUTING, flags=re.MULTILINE)
    return {name for row in rows for name in re.findall(r"`([^`]+)`", row)}


def test_what_is_pinned_installs_on_the_oldest_python_named() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    oldest = project["requires-python"].removeprefix(">=")
    assert f"Python {oldest} or newer" in README
    extras = project["optional-dependencies"].values()
    pins = [each.split("==")[0] for extra in extras for each in extra if "==" in each]
    assert pins
    for name in pins:
        assert SpecifierSet(metadata(name)["Requires-Python"]).contains(f"{oldest}.0"), name


@pytest.mark.parametrize("file", ["pyproject.toml", "kernels/pyproject.toml"])
def test_one_version(file: str) -> None:
    assert tomllib.loads((ROOT / file).read_text())["project"]["version"] == __version__


def test_the_changelog_has_this_version_on_top_of_earlier_ones() -> None:
    heads = re.findall(r"^## \[(.+?)\](?: - (\d{4}-\d{2}-\d{2}))?$", CHANGELOG, flags=re.MULTILINE)
    assert heads[0] == ("Unreleased", "")
    assert heads[1][0] == __version__
    assert all(date for _, date in heads[1:])


def test_contributing_names_every_field_type_kind_and_place() -> None:
    named = first_column()
    assert set(TYPES) <= named
    assert {kind.value for kind in Kind} <= named
    assert {field for field in ErrorRecord.model_fields if field not in ("code", "kind")} <= named
    assert all(f"`{place.value}`" in CONTRIBUTING for place in Place)


@pytest.mark.parametrize("kind", Kind)
def test_contributing_says_where_a_new_record_runs(tmp_path: Path, kind: Kind) -> None:
    rows = dict(re.findall(r"^ *\| `([a-z]+)` \| [^|]+ \| ([^|]+) \|$", CONTRIBUTING, re.MULTILINE))
    says = rows[kind].replace("as `raises`", rows[Kind.RAISES])
    told = {tuple(re.findall(r"`([a-z]+)`", part)) for part in says.split(";")}
    (tmp_path / "errorkb/records").mkdir(parents=True)
    slugs = {"triton/one", "torch-cuda/one"}
    for slug in slugs:
        new_record(Layout.at(tmp_path), slug, kind=kind)
    examples = [load(Layout.at(tmp_path)).records[slug].example for slug in slugs]
    assert {tuple(each.requires) for each in examples if each is not None} == told


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md"])
def test_links_and_make_targets_exist(page: str) -> None:
    text = (ROOT / page).read_text()
    links = re.findall(r"\]\(([^)#]+)\)|src(?:set)?=\"([^\"]+)\"", text)
    for link in filter(None, (part for pair in links for part in pair)):
        assert link.startswith("https://") or (ROOT / link).exists(), link
    targets = set(re.findall(r"^([a-z ]+):", MAKEFILE, flags=re.MULTILINE))
    known = {name for names in targets for name in names.split()}
    assert set(re.findall(r"`make ([a-z]+)", text)) <= known


def test_every_target_has_its_comment() -> None:
    shown = subprocess.run(
        ["make", "--no-print-directory", "help"],  # noqa: S607 - the user's own make
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    targets = re.findall(r"^([a-z]+)[a-z ]*:(?!=)", MAKEFILE, flags=re.MULTILINE)
    assert targets == [line.split()[1] for line in shown.splitlines()]
    assert all(len(line.split(maxsplit=2)) == 3 for line in shown.splitlines())


def test_the_readme_shows_what_is_printed_today() -> None:
    done = subprocess.run(  # noqa: S603 - our own script
        [sys.executable, ROOT / "tools/readme.py", "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_the_readme_shows_every_step_of_make_test() -> None:
    block = README.partition("$ make test\n")[2].partition("```")[0]
    told = subprocess.run(
        ["make", "--no-print-directory", "--dry-run", "test"],  # noqa: S607 - the user's own make
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    shown, run = (
        [line for line in text.splitlines() if line.startswith(".venv/bin/") and "pip" not in line]
        for text in (block, told)
    )
    assert shown == run


def test_the_readme_names_every_command() -> None:
    assert set(re.findall(r"`errorkb ([a-z]+)", README)) == set(COMMANDS)
