"""Gates 7 and 8 fail when a record is incomplete, did not run, failed, or ran as something else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from errorkb.gates import Severity
from errorkb.layout import Layout
from errorkb.model import Kind, Place
from errorkb.scaffold import new_record

if TYPE_CHECKING:
    from conftest import SmallLibrary

RECORD = "errorkb/records/demo/too-large.yaml"
EXAMPLE = "examples/demo/too-large"


def test_a_complete_library_has_no_findings(small: SmallLibrary) -> None:
    assert small.findings(7) == []
    assert small.findings(8) == []


@pytest.mark.parametrize(
    ("old", "new", "line", "complaint"),
    [
        ("related: [demo/indivisible]", "related: [demo/nothing]", 26, "no record demo/nothing"),
        ("related: [demo/indivisible]", "related: [demo/too-large]", 26, "related to itself"),
        ("It is {size}.", "It is {length}.", 24, "length"),
        ("It is {size}.", "It is {size +}.", 24, "size +"),
        ("case: trigger_elsewhere", "case: trigger_nowhere", 16, "trigger_nowhere.py"),
        ("meaning: The sizes", "meaning: FILL-IN sizes", 15, "still to fill in"),
    ],
)
def test_a_record_that_names_what_is_not_there(
    small: SmallLibrary, old: str, new: str, line: int, complaint: str
) -> None:
    small.edit(RECORD, old, new)
    finding = small.findings(7)[0]
    assert (finding.path, finding.line) == (RECORD, line)
    assert complaint in finding.message


def test_an_unused_trigger_file(small: SmallLibrary) -> None:
    small.write(f"{EXAMPLE}/trigger_unused.py", "")
    (finding,) = small.findings(7)
    assert finding.path == f"{EXAMPLE}/trigger_unused.py"
    assert "nothing in the record demo/too-large refers to this file" in finding.message


def test_a_missing_example(small: SmallLibrary) -> None:
    small.path(f"{EXAMPLE}/after.py").unlink()
    (finding,) = small.findings(7)
    assert f"{EXAMPLE}/after.py, a case of EKB0002, is missing" in finding.message


def test_an_example_without_a_record(small: SmallLibrary) -> None:
    small.write("examples/demo/lost/before.py", "")
    (finding,) = small.findings(7)
    assert finding.path.startswith("examples/demo/lost")


def test_a_fix_that_changes_nothing(small: SmallLibrary) -> None:
    before = small.path(f"{EXAMPLE}/before.py").read_text()
    small.write(f"{EXAMPLE}/after.py", before + "# fixed\n")
    assert "after.py is before.py" in small.findings(7)[0].message


def test_a_fix_that_tells_another_story(small: SmallLibrary) -> None:
    small.edit(f"{EXAMPLE}/after.py", "Split a size", "Divide a size")
    assert "different docstrings" in small.findings(7)[0].message


def test_an_item_that_failed(small: SmallLibrary) -> None:
    small.execute(Place.CPU, failed="after")
    findings = small.findings(7)
    assert [finding.message for finding in findings] == [
        "after fails in cpu: actual differs from expected"
    ] * 2


def test_an_item_that_never_ran(small: SmallLibrary) -> None:
    small.execute(Place.CPU, left_out="trigger_elsewhere")
    finding = small.findings(7)[0]
    assert "no ledger shows trigger_elsewhere of EKB0001 executed in cpu" in finding.message
    assert finding.repair == "errorkb verify EKB0001 --device cpu --write"
    assert finding.severity is Severity.ERROR


def test_what_ran_elsewhere_may_miss_its_gpu_until_a_release(small: SmallLibrary) -> None:
    small.path("errorkb/verification/test-gpu.json").unlink()
    assert {finding.severity for finding in small.findings(7)} == {Severity.NOTICE}
    assert {finding.severity for finding in small.findings(7, release=True)} == {Severity.ERROR}


def test_what_ran_nowhere_is_an_error_on_a_gpu_too(small: SmallLibrary) -> None:
    small.execute(Place.CPU, left_out="after")
    small.path("errorkb/verification/test-gpu.json").unlink()
    small.edit(
        RECORD,
        "requires: [cpu, gpu]",
        "requires: [cpu, gpu]\n  waivers:\n    - {item: after, place: cpu, reason: It hangs.}",
    )
    found = {each.message: each.severity for each in small.findings(7) if each.path == RECORD}
    assert found == {
        "no ledger shows after of EKB0002 executed in gpu.": Severity.ERROR,
        "no ledger shows before, trigger_elsewhere of EKB0002 executed in gpu.": Severity.NOTICE,
    }


def test_a_waiver_stands_for_a_run(small: SmallLibrary) -> None:
    small.edit(
        RECORD,
        "requires: [cpu, gpu]",
        "requires: [cpu, gpu]\n  waivers:\n"
        "    - {item: trigger_elsewhere, place: cpu, reason: It needs a device.}",
    )
    small.execute(Place.GPU)
    small.execute(Place.CPU, left_out="trigger_elsewhere")
    assert [each.path for each in small.findings(7)] == ["errorkb/records/demo/indivisible.yaml"]


def test_a_waiver_of_what_does_not_run(small: SmallLibrary) -> None:
    small.edit(
        RECORD,
        "requires: [cpu, gpu]",
        "requires: [cpu, gpu]\n  waivers:\n"
        "    - {item: trigger_elsewhere, place: compile, reason: It needs a device.}",
    )
    assert any(
        "the waiver of trigger_elsewhere in compile" in each.message for each in small.findings(7)
    )


def test_a_changed_example_makes_its_results_stale(small: SmallLibrary) -> None:
    small.edit(f"{EXAMPLE}/before.py", "9, 1", "11, 1")
    cpu, gpu = small.findings(8)
    assert cpu.message == "EKB0002 changed since test-cpu ran before, after, trigger_elsewhere."
    assert cpu.repair == "errorkb verify EKB0002 --device cpu --write"
    assert (cpu.severity, gpu.severity) == (Severity.ERROR, Severity.NOTICE)
    assert [each.severity for each in small.findings(8, release=True)] == [Severity.ERROR] * 2
    # A stale result is gate 8's to report, and gate 7's not.
    assert small.findings(7) == []


def test_another_release_may_differ_and_may_be_stale_until_a_release_of_ours(
    small: SmallLibrary,
) -> None:
    small.execute(Place.CPU, survey="3.5.1", failed="after")
    assert small.findings(7) == []
    small.edit(f"{EXAMPLE}/before.py", "9, 1", "11, 1")
    small.execute(Place.CPU)
    small.execute(Place.GPU)
    (stale,) = small.findings(8)
    assert stale.message == "EKB0002 changed since test-cpu-3.5.1 ran it."
    assert stale.repair == "make matrix ARGS='--family demo'"
    assert stale.severity is Severity.NOTICE
    assert [each.severity for each in small.findings(8, release=True)] == [Severity.ERROR]


def test_a_survey_alone_executes_a_record(small: SmallLibrary) -> None:
    small.execute(Place.CPU, left_out="before")
    assert [each.path for each in small.findings(7)] != []
    small.execute(Place.CPU, survey="3.5.1")
    assert small.findings(7) == []


@pytest.mark.parametrize("kind", Kind)
def test_a_new_record_is_named_until_it_is_filled_in(small: SmallLibrary, kind: Kind) -> None:
    new_record(Layout.at(small.root), "demo/fresh", kind=kind)
    named = {finding.path for finding in small.findings(7) if "still to fill in" in finding.message}
    assert named == {
        "errorkb/records/demo/fresh.yaml",
        "examples/demo/fresh/before.py",
        "examples/demo/fresh/after.py",
    }
