"""Gates 1 and 2 pass on a library in agreement and fail when source and record part."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from errorkb.gates import Severity

if TYPE_CHECKING:
    from conftest import SmallLibrary

CONTRACT = "kernels/kda_kernels/contract.py"
RECORD = "errorkb/records/demo/too-large.yaml"


def test_agreement_has_no_findings(small: SmallLibrary) -> None:
    assert small.findings(1) == []
    assert small.findings(2) == []


def test_a_raise_site_without_a_record(small: SmallLibrary) -> None:
    small.edit(CONTRACT, "EKB0002", "EKB0003")
    first, second = small.findings(1)
    assert (first.path, first.line) == (CONTRACT, 10)
    assert first.message == "EKB0003 has no record."
    assert first.repair == "errorkb new FAMILY/NAME --code EKB0003"
    # The record that the site had is now without one.
    assert (second.path, second.line) == (RECORD, 10)
    assert "nothing raises EKB0002" in second.message


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("if size > 8:", "if size > 16:"),
        ("def check(", "def verify("),
    ],
)
def test_a_site_that_moved_names_what_to_paste(small: SmallLibrary, old: str, new: str) -> None:
    small.edit(CONTRACT, old, new)
    findings = [finding for finding in small.findings(1) if finding.path == RECORD]
    (finding,) = findings
    assert "if size > 8" in finding.message
    assert finding.repair is not None
    small.edit(RECORD, "  - package: kda_kernels\n", "")
    text = small.path(RECORD).read_text()
    start, end = text.index("sites:\n"), text.index("meaning:")
    repaired = text[:start] + finding.repair.removeprefix("under ") + "\n" + text[end:]
    small.path(RECORD).write_text(repaired)
    assert [finding for finding in small.findings(1) if finding.path == RECORD] == []


@pytest.mark.parametrize(
    "statement", ["assert size", "raise ValueError('no code')", "raise failure", "raise KeyError"]
)
def test_an_assert_or_an_uncoded_raise(small: SmallLibrary, statement: str) -> None:
    small.edit(CONTRACT, "    if size > 8:", f"    {statement}\n    if size > 8:")
    (finding,) = small.findings(1)
    assert (finding.path, finding.line) == (CONTRACT, 9)
    assert "has no code" in finding.message


def test_another_class_than_the_record_names(small: SmallLibrary) -> None:
    small.edit(CONTRACT, 'raise ContractError("EKB0002"', 'raise BackendError("EKB0002"')
    (finding,) = small.findings(1)
    assert finding.path == RECORD
    assert finding.repair == "under exceptions: - kda_kernels.errors.BackendError"


def test_a_withdrawn_record_is_not_raised(small: SmallLibrary) -> None:
    small.edit(RECORD, "related:", "withdrawn: The limit is gone.\nrelated:")
    (finding,) = small.findings(1)
    assert finding.message.startswith("EKB0002 is withdrawn and still raised")


def test_a_source_file_that_cannot_be_read(small: SmallLibrary) -> None:
    small.write("kernels/kda_kernels/broken.py", "def (:\n")
    (finding,) = small.findings(1)
    assert finding.path == "kernels/kda_kernels/broken.py"


def test_drifted_wording_names_the_typed_template(small: SmallLibrary) -> None:
    small.edit(CONTRACT, "size {size} is more than 8", "size {size} exceeds 8")
    printed, orphan = small.findings(2)
    assert (printed.path, printed.line) == (RECORD, 5)
    assert printed.repair == 'template: "size {size:int} exceeds 8"'
    assert "no raise site" in orphan.message


@pytest.mark.parametrize(
    ("message", "complaint"),
    [
        ("size {size + 1} is more than 8", "assign it to a name first"),
        ("size {count} is more than 8", "prints 'size {count} is more than 8'"),
    ],
)
def test_placeholders_are_part_of_the_wording(
    small: SmallLibrary, message: str, complaint: str
) -> None:
    small.edit(CONTRACT, "size {size} is more than 8", message)
    assert complaint in small.findings(2)[0].message


def test_a_message_that_is_no_literal(small: SmallLibrary) -> None:
    small.edit(CONTRACT, 'f"size {size} is more than 8"', "text(size)")
    assert "not a literal" in small.findings(2)[0].message


def test_without_the_sources_nothing_is_claimed(small: SmallLibrary) -> None:
    small.path("kernels").rename(small.path("elsewhere"))
    for gate in (1, 2):
        (finding,) = small.findings(gate)
        assert finding.severity is Severity.NOTICE
