"""What is said, and what still runs, where a package that scripts import is missing."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from errorkb.cli import main
from errorkb.model import Place
from errorkb.needs import sentence, split
from errorkb.plan import tasks

if TYPE_CHECKING:
    from conftest import Workshop


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is installed that scripts could need."""
    monkeypatch.setattr("errorkb.needs.find_spec", lambda _: None)
    monkeypatch.setattr("errorkb.environment._version", lambda _: None)
    monkeypatch.setattr("errorkb.environment._ask_torch", lambda _: {})


def verify(
    workshop: Workshop, capsys: pytest.CaptureFixture[str], *arguments: str
) -> tuple[int, str, str]:
    code = main(["--root", str(workshop.root), "verify", *arguments])
    return code, *capsys.readouterr()


@pytest.mark.usefixtures("bare")
@pytest.mark.parametrize("arguments", [[], ["--device", "cpu"], ["EKB0001"]])
def test_scripts_that_need_torch_are_one_sentence(
    workshop: Workshop, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    workshop.example()
    workshop.script("before", "import torch\nraise ValueError(torch)\n")
    workshop.script("after", "from torch import nn\nactual = expected = 1\n")
    code, out, err = verify(workshop, capsys, *arguments, "--write")
    assert (code, out) == (2, "")
    assert err == (
        "errorkb: these scripts need torch, which is not installed here: pip install torch\n"
    )
    assert list((workshop.root / "errorkb" / "verification").glob("*")) == []


@pytest.mark.usefixtures("bare")
def test_the_others_run_all_the_same(
    workshop: Workshop, capsys: pytest.CaptureFixture[str]
) -> None:
    workshop.example()
    workshop.example(
        "demo/kernel",
        code="EKB0002",
        kind="silent",
        exceptions=None,
        messages=None,
        example={"requires": ["interpreter", "cpu"]},
    )
    for item in ("before", "after"):
        workshop.script(item, "import kda_kernels\n", "demo/kernel")
    code, out, err = verify(workshop, capsys, "--write")
    assert code == 2
    assert out.startswith("cpu: 2 passed, 0 failed, 0 not run of 1 records")
    assert err == (
        "errorkb: 4 of 6 scripts need numpy, torch and triton, which are not installed here: "
        "pip install numpy torch triton\n"
    )
    ledger = json.loads((workshop.root / "errorkb" / "verification" / "cpu.json").read_text())
    assert {result["outcome"] for result in ledger["results"]} == {"passed"}


@pytest.mark.usefixtures("bare")
def test_a_failure_weighs_more_than_what_could_not_run(
    workshop: Workshop, capsys: pytest.CaptureFixture[str]
) -> None:
    workshop.example()
    workshop.script("before", "import torch\n")
    workshop.script("after", "actual, expected = 1, 2\n")
    assert verify(workshop, capsys, "--device", "cpu")[0] == 1


@pytest.mark.usefixtures("bare")
@pytest.mark.parametrize("device", ["gpu", "interpreter", "compile"])
def test_a_place_without_its_packages_names_them(
    workshop: Workshop, capsys: pytest.CaptureFixture[str], device: str
) -> None:
    workshop.example(example={"requires": ["gpu", "interpreter", "compile"]})
    code, out, err = verify(workshop, capsys, "--device", device)
    assert (code, out) == (2, "")
    assert f"{device} needs torch and triton" in err
    assert "pip install torch triton" in err
    assert err.count("\n") == 1


@pytest.mark.usefixtures("bare")
def test_a_guard_and_a_condition_on_versions_count(workshop: Workshop) -> None:
    workshop.example()
    workshop.script("guard", "import triton.language as tl\n")
    workshop.example(
        "demo/old", code="EKB0002", example={"requires": ["cpu"], "packages": {"demo": "<2"}}
    )
    library = workshop.load()
    able, packages, number = split(library, tasks(library, [], [Place.CPU]))
    assert (able, packages, number) == ([], ["packaging", "triton"], 4)


@pytest.mark.usefixtures("bare")
def test_a_recipe_needs_what_the_script_that_it_runs_needs(workshop: Workshop) -> None:
    recipe = {"tool": "launch-blocking", "names": "total = 9", "shows": "It ends at the launch."}
    workshop.example(recipes=[recipe])
    workshop.script("after", "import torch\n")
    library = workshop.load()
    able, packages, number = split(library, tasks(library, [], [Place.CPU]))
    assert [task.item for task in able] == ["before", "recipe_launch_blocking"]
    assert (packages, number) == (["torch"], 1)


def test_where_all_is_installed_nothing_is_said(workshop: Workshop) -> None:
    workshop.example()
    workshop.script("before", "import torch\n")
    workshop.script("after", "not Python\n")
    library = workshop.load()
    todo = tasks(library, [], [Place.CPU])
    assert split(library, todo) == (todo, [], 0)


def test_the_sentence_counts() -> None:
    assert sentence(["triton"], 2, 9).startswith("2 of 9 scripts need triton, which is not")
