"""Gate 3 fails when what an example printed is not its record's, or is another's first."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from errorkb.model import Place

if TYPE_CHECKING:
    from conftest import SmallLibrary

RECORD = "errorkb/records/demo/too-large.yaml"


def test_each_message_finds_its_own_record(small: SmallLibrary) -> None:
    assert small.findings(3) == []


NOTE = "\ngot 9\nFor the cause and a tested fix: errorkb explain EKB0002"


def test_notes_below_a_message_are_not_part_of_it(small: SmallLibrary) -> None:
    small.execute(Place.CPU, printed={"demo/too-large": f"size 9 is more than 8{NOTE}"})
    assert small.findings(3) == []


def test_a_note_does_not_hide_the_wording_of_a_sibling(small: SmallLibrary) -> None:
    wording = "size 7 does not divide by count 2"
    small.execute(Place.CPU, printed={"demo/too-large": f"{wording}{NOTE}"})
    (finding,) = small.findings(3)
    assert finding.path == RECORD
    # Nor where the record takes the sibling's words as one of its own.
    small.edit(
        RECORD,
        "    versions:",
        "    versions: '*'\n    origin: executed\n"
        '  - template: "size {size:int} does not divide by count {count:int}"\n'
        "    software: kda_kernels\n    versions:",
    )
    (finding,) = small.findings(3)
    assert "finds demo/indivisible and not EKB0002" in finding.message


def test_a_printed_message_that_no_template_matches(small: SmallLibrary) -> None:
    small.execute(Place.CPU, printed={"demo/too-large": "size 9 is above 8"})
    (finding,) = small.findings(3)
    assert (finding.path, finding.line) == (RECORD, 5)
    assert "no template of EKB0002 matches what before printed" in finding.message


def test_what_a_recipe_printed_is_the_words_of_its_tool(small: SmallLibrary) -> None:
    small.execute(Place.CPU)
    path = small.path("errorkb/verification/test-cpu.json")
    ledger = json.loads(path.read_text())
    of_before = next(r for r in ledger["results"] if r["item"] == "before")
    words = {"item": "recipe_memcheck", "message": "========= Invalid __global__ read"}
    ledger["results"].append(of_before | words)
    path.write_text(json.dumps(ledger))
    assert small.findings(3) == []


def test_a_before_that_raises_a_sibling(small: SmallLibrary) -> None:
    small.execute(Place.CPU, printed={"demo/too-large": "size 7 does not divide by count 2"})
    (finding,) = small.findings(3)
    assert finding.path == RECORD


def test_two_records_that_take_the_same_message(small: SmallLibrary) -> None:
    # The first in order, demo/indivisible, now takes every message of the second, word for word.
    small.edit(
        "errorkb/records/demo/indivisible.yaml",
        "size {size:int} does not divide by count {count:int}",
        "size {size:int} is more than 8",
    )
    small.execute(Place.CPU, printed={"demo/indivisible": "size 7 is more than 8"})
    small.execute(Place.GPU, printed={"demo/indivisible": "size 7 is more than 8"})
    findings = small.findings(3)
    assert findings
    assert all("a lookup of what before printed finds" in each.message for each in findings)


def test_a_version_that_printed_a_wording_is_in_its_range(small: SmallLibrary) -> None:
    small.edit(RECORD, "software: kda_kernels", "software: triton")
    small.edit(RECORD, 'versions: ">=0.1"', 'versions: ">=3.4"')
    small.execute(Place.CPU, survey="3.5.1")
    assert small.findings(3) == []
    small.execute(Place.CPU, survey="3.3.1")
    (finding,) = small.findings(3)
    assert finding.path == RECORD
    assert "triton 3.3.1 printed 'size {size:int} is more than 8'" in finding.message
    assert "which is said of >=3.4" in finding.message


def test_a_version_that_printed_nothing_is_in_no_range(small: SmallLibrary) -> None:
    small.edit(RECORD, "software: kda_kernels", "software: triton")
    small.edit(RECORD, 'versions: ">=0.1"', 'versions: ">=3.4"')
    small.execute(Place.CPU, survey="3.3.1", failed="before", left_out="trigger_elsewhere")
    assert small.findings(3) == []
    small.execute(Place.CPU, survey="3.5.1", failed="before")
    assert small.findings(3) == []  # the other case printed it
    small.execute(Place.CPU, survey="3.5.1", failed="before", left_out="trigger_elsewhere")
    (finding,) = small.findings(3)
    assert "but triton 3.5.1 did not print it (test-cpu-3.5.1)" in finding.message
    # Another place where it did settles it: the interpreter does not print what the compiler does.
    small.execute(Place.GPU, survey="3.5.1")
    assert small.findings(3) == []
    small.execute(Place.GPU, survey="3.5.1", failed="before", left_out="trigger_elsewhere")
    small.edit(
        RECORD, "    origin: executed\n", "    origin: executed\n    reference: x.py in 3.5.1\n"
    )
    assert small.findings(3) == []
