"""`errorkb check`: what it prints, and what its exit code says."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from errorkb.cli import main
from errorkb.gates import GATES

if TYPE_CHECKING:
    from conftest import SmallLibrary

RECORD = "errorkb/records/demo/too-large.yaml"


def check(small: SmallLibrary, *arguments: str) -> int:
    return main(["--root", str(small.root), "check", *arguments])


def test_a_library_that_keeps_every_rule(
    small: SmallLibrary, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check(small) == 0
    out, err = capsys.readouterr()
    assert out.endswith("2 records checked: 0 errors, 1 notices.\n")  # no git history here
    assert err == ""


def test_errors_fail_and_name_place_and_repair(
    small: SmallLibrary, capsys: pytest.CaptureFixture[str]
) -> None:
    small.edit("kernels/kda_kernels/contract.py", "size {size} is more", "size {size} is bigger")
    assert check(small, "--gate", "2") == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(f"{RECORD}:5: gate 2: ")
    assert lines[1].startswith("    repair: template: ")
    assert lines[-1] == "2 records checked: 2 errors, 0 notices."


def test_a_notice_fails_only_a_release(
    small: SmallLibrary, capsys: pytest.CaptureFixture[str]
) -> None:
    small.path("errorkb/verification/test-gpu.json").unlink()
    assert check(small, "--gate", "7") == 0
    assert capsys.readouterr().out.startswith("notice: ")
    assert check(small, "--gate", "7", "--release") == 1


def test_json(small: SmallLibrary, capsys: pytest.CaptureFixture[str]) -> None:
    small.edit(RECORD, "related: [demo/indivisible]", "related: [demo/nothing]")
    assert check(small, "--gate", "7", "--json") == 1
    answer = json.loads(capsys.readouterr().out)
    (finding,) = answer["findings"]
    assert (answer["errors"], answer["notices"], answer["records"]) == (1, 0, 2)
    assert finding == {
        "gate": 7,
        "path": RECORD,
        "line": 26,
        "message": "there is no record demo/nothing.",
        "repair": None,
        "severity": "error",
    }


def test_help_names_every_gate(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["check", "--help"])
    out = capsys.readouterr().out
    assert all(f"  {gate.number}  {gate.rule}\n" in out for gate in GATES)


@pytest.mark.parametrize("arguments", [[], ["--json"], ["--gate", "7"]])
def test_without_packaging_it_says_what_to_install(
    small: SmallLibrary,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
) -> None:
    monkeypatch.setattr("errorkb.commands.check.find_spec", lambda name: None)
    assert check(small, *arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.endswith("pip install packaging\n")
    assert err.count("\n") == 1
