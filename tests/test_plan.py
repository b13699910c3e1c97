"""plan: what runs where, and what is wrong with the folders."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from errorkb.environment import Machine
from errorkb.errors import UsageError
from errorkb.model import Example, Place
from errorkb.plan import default_places, problems, tasks, unmet

if TYPE_CHECKING:
    from conftest import Workshop

SLUG = "demo/odd-total"


def machine(capability: str | None = "9.0") -> Machine:
    return Machine("3.12", "Linux", "2.11", "3.6", "13.0", "NVIDIA H200", capability)


def test_tasks_are_the_items_in_the_required_places(workshop: Workshop) -> None:
    workshop.example(example={"requires": ["interpreter", "cpu"]})
    workshop.example("demo/zero", code="EKB0002")
    library = workshop.load()
    found = tasks(library, [], [Place.GPU, Place.CPU, Place.INTERPRETER])
    assert [str(task) for task in found] == [
        "demo/odd-total before (cpu)",
        "demo/odd-total after (cpu)",
        "demo/zero before (cpu)",
        "demo/zero after (cpu)",
        "demo/odd-total before (interpreter)",
        "demo/odd-total after (interpreter)",
    ]
    named = tasks(library, ["EKB0002", "demo/zero"], [Place.CPU])
    assert [str(task) for task in named] == ["demo/zero before (cpu)", "demo/zero after (cpu)"]


def test_a_named_record_that_cannot_run_there_is_bad_input(workshop: Workshop) -> None:
    workshop.example()
    workshop.put(
        "demo/told",
        code="EKB0002",
        example=None,
        not_executed="It needs a cluster.",
        triggers=[{"when": "Always.", "not_reproduced": "It needs a cluster."}],
    )
    library = workshop.load()
    with pytest.raises(UsageError, match="runs in cpu and not in gpu; give --device cpu"):
        tasks(library, [SLUG], [Place.GPU])
    with pytest.raises(UsageError, match="is documented, not executed: It needs a cluster"):
        tasks(library, ["EKB0002"], [Place.CPU])
    with pytest.raises(UsageError, match="no record 'EKB7777'"):
        tasks(library, ["EKB7777"], [Place.CPU])
    assert tasks(library, [], [Place.GPU]) == []


def test_a_gpu_takes_the_interpreter_s_place() -> None:
    assert default_places(gpu=True) == [Place.GPU, Place.COMPILE, Place.CPU]
    assert default_places(gpu=False) == [Place.INTERPRETER, Place.COMPILE, Place.CPU]


@pytest.mark.parametrize(
    ("wanted", "here", "place", "met"),
    [
        (">=9.0", "9.0", Place.GPU, True),
        (">=9.0", "10.0", Place.GPU, True),
        (">=9.0", "8.9", Place.GPU, False),
        ("==8.0", "9.0", Place.GPU, False),
        ("<10.0", "9.0", Place.GPU, True),
        (">=10.0", None, Place.GPU, False),
        (">=9.0", None, Place.COMPILE, True),
        ("==10.0", None, Place.COMPILE, False),
        (">=10.0", None, Place.INTERPRETER, True),
    ],
)
def test_compute_capability_is_compared_as_a_version(
    wanted: str, here: str | None, place: Place, met: bool
) -> None:
    example = Example(requires=[place], compute_capability=wanted)
    reason = unmet(example, place, machine(here))
    assert (reason is None) is met
    assert met or f"needs compute capability {wanted}; this is" in (reason or "")


@pytest.mark.parametrize(
    ("packages", "reason"),
    [
        ({"PyYAML": ">=6"}, None),
        ({"PyYAML": "*"}, None),
        ({"PyYAML": "<6"}, "needs PyYAML <6; "),
        ({"no-such-distribution": ">=1"}, "needs no-such-distribution >=1, which is not installed"),
        ({"no-such-distribution": "*"}, "needs no-such-distribution, which is not installed"),
    ],
)
def test_packages_are_checked_against_what_is_installed(
    packages: dict[str, str], reason: str | None
) -> None:
    found = unmet(Example(requires=[Place.CPU], packages=packages), Place.CPU, machine())
    assert (found or "").startswith(reason or "")
    assert (found is None) is (reason is None)


def test_a_tidy_tree_has_no_problems(workshop: Workshop) -> None:
    workshop.example()
    workshop.script("guard", "assert total % 2 == 0")
    (workshop.root / "examples" / SLUG / "__pycache__").mkdir()
    (workshop.root / "examples" / "conftest.py").write_text("")
    assert problems(workshop.load()) == []


def test_folders_and_files_without_a_record_are_problems(workshop: Workshop) -> None:
    workshop.example()
    workshop.script("before", "", "demo/forgotten")
    workshop.script("trigger_unnamed", "")
    (workshop.root / "examples" / SLUG / "notes.txt").write_text("")
    found = "\n".join(problems(workshop.load()))
    assert "demo/forgotten: there is no record demo/forgotten" in found
    assert "trigger_unnamed.py: nothing in the record" in found
    assert "notes.txt: nothing in the record" in found
    assert len(found.splitlines()) == 3


def test_records_and_folders_must_agree(workshop: Workshop) -> None:
    workshop.put()
    assert "is missing: the example of demo/odd-total" in problems(workshop.load())[0]
    workshop.example(
        example=None,
        not_executed="It needs a cluster.",
        triggers=[{"when": "Always.", "not_reproduced": "It needs a cluster."}],
    )
    assert "is not executed, so it has no example folder" in problems(workshop.load())[0]


@pytest.mark.parametrize(("item", "place"), [("before", "gpu"), ("trigger_other", "cpu")])
def test_a_waiver_of_something_that_does_not_run_is_a_problem(
    workshop: Workshop, item: str, place: str
) -> None:
    waiver = {"item": item, "place": place, "reason": "It is slow."}
    workshop.example(example={"requires": ["cpu"], "waivers": [waiver]})
    assert "is for something that does not run" in problems(workshop.load())[0]
