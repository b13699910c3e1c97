"""errorkb verify: output, exit codes and ledgers."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from errorkb.cli import main

if TYPE_CHECKING:
    from conftest import Workshop

SLUG = "demo/odd-total"
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(workshop: Workshop, capsys: pytest.CaptureFixture[str]) -> Run:
    def call(*arguments: str) -> tuple[int, str, str]:
        code = main(["--root", str(workshop.root), *arguments])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


def ledger(workshop: Workshop, name: str = "cpu") -> dict[str, Any]:
    path = workshop.root / "errorkb" / "verification" / f"{name}.json"
    data: dict[str, Any] = json.loads(path.read_text())
    return data


def outcomes(data: dict[str, Any]) -> dict[str, str]:
    return {f"{r['slug']} {r['item']}": r["outcome"] for r in data["results"]}


def test_a_pass_is_one_line_and_nothing_is_written(workshop: Workshop, run: Run) -> None:
    workshop.example()
    code, out, err = run("verify", "--device", "cpu")
    assert code == 0
    assert out.startswith("cpu: 2 passed, 0 failed, 0 not run of 1 records in ")
    assert len(out.splitlines()) == 1
    assert err == ""
    assert not (workshop.root / "errorkb" / "verification").exists()


def test_a_failure_shows_its_reason_and_output(workshop: Workshop, run: Run) -> None:
    workshop.example()
    workshop.script("after", "print('on the way')\ntotal\n")
    code, out, _ = run("verify", "--device", "cpu")
    assert code == 1
    assert "FAILED demo/odd-total after (cpu): after.py must end by itself, but it raised" in out
    assert "    on the way\n" in out
    assert "    NameError: name 'total' is not defined" in out
    assert "1 passed, 1 failed" in out


def test_written_results_make_the_record_verified(workshop: Workshop, run: Run) -> None:
    workshop.example()
    assert run("list")[1].split()[1] == "stale"
    code, out, _ = run("verify", "--device", "cpu", "--write")
    assert code == 0
    assert "wrote " in out
    data = ledger(workshop)
    assert outcomes(data) == {f"{SLUG} before": "passed", f"{SLUG} after": "passed"}
    assert data["environment"]["place"] == "cpu"
    code, out, err = run("list")
    assert (code, out) == (0, "EKB0001  verified    demo/odd-total  An odd total  cpu:2/2\n")
    assert err == "1 records: 1 verified\n"
    workshop.script("after", "total = 6\nactual, expected = 3, 3\n")
    assert run("list")[1].split()[1] == "stale"


def test_a_partial_run_keeps_the_other_results(workshop: Workshop, run: Run) -> None:
    workshop.example()
    workshop.example("demo/zero", code="EKB0002")
    run("verify", "--device", "cpu", "--write")
    workshop.script("after", "total = 8\nactual, expected = 1, 2\n", "demo/zero")
    code, _, _ = run("verify", "EKB0002", "--device", "cpu", "--write")
    assert code == 1
    assert outcomes(ledger(workshop))[f"{SLUG} after"] == "passed"
    assert outcomes(ledger(workshop))["demo/zero after"] == "failed"
    (workshop.root / "errorkb" / "records" / "demo" / "zero.yaml").unlink()
    run("verify", SLUG, "--device", "cpu", "--write")
    assert set(outcomes(ledger(workshop))) == {f"{SLUG} before", f"{SLUG} after"}


def test_a_ledger_of_another_name(workshop: Workshop, run: Run) -> None:
    workshop.example()
    arguments = ("verify", "--device", "cpu", "--write", "--environment", "cpu-python-3.14")
    assert run(*arguments)[0] == 0
    assert ledger(workshop, "cpu-python-3.14")["environment"]["name"] == "cpu-python-3.14"


def test_a_survey_has_ledgers_of_its_own_and_its_failures_fail_nothing(
    workshop: Workshop, run: Run
) -> None:
    workshop.example()
    workshop.script("after", "total = 10\nactual, expected = 5, 6\n")
    code, out, _ = run("verify", "--device", "cpu", "--survey", "3.5", "--write")
    assert code == 0
    assert "FAILED demo/odd-total after (cpu): after.py is wrong" in out
    data = ledger(workshop, "triton-cpu-3.5")
    assert data["environment"]["survey"] is True
    assert outcomes(data) == {f"{SLUG} before": "passed", f"{SLUG} after": "failed"}
    assert run("verify", "--device", "cpu")[0] == 1


def test_json_is_one_object(workshop: Workshop, run: Run) -> None:
    workshop.example()
    code, out, err = run("verify", "--device", "cpu", "--json")
    data = json.loads(out)
    assert (code, err, data["problems"]) == (0, "", [])
    assert data["ledgers"][0]["schema"] == 1
    assert len(data["ledgers"][0]["results"]) == 2


def test_an_orphan_folder_fails_a_whole_run_only(workshop: Workshop, run: Run) -> None:
    workshop.example()
    workshop.script("before", "", "demo/forgotten")
    code, out, _ = run("verify", "--device", "cpu")
    assert code == 1
    assert "there is no record demo/forgotten" in out
    assert run("verify", SLUG, "--device", "cpu")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["EKB9999"], "no record 'EKB9999'"),
        ([SLUG, "--device", "compile"], "demo/odd-total runs in cpu and not in compile"),
        (["--jobs", "0"], "--jobs takes a number of at least 1"),
        (["--environment", "x"], "give exactly one --device"),
        (["--device", "cpu", "--environment", "../x"], "--environment takes lower case letters"),
        (["--survey", "../x"], "--survey takes lower case letters"),
        (["--survey", "x", "--device", "cpu", "--environment", "y"], "--survey names its ledgers"),
    ],
)
def test_bad_input_is_one_sentence(
    workshop: Workshop, run: Run, arguments: list[str], says: str
) -> None:
    workshop.example()
    code, out, err = run("verify", "--write", *arguments)
    assert (code, out) == (2, "")
    assert err.startswith("errorkb: ")
    assert says in err
    assert len(err.splitlines()) == 1
    assert not (workshop.root / "errorkb" / "verification").exists()


def test_a_damaged_ledger_stops_the_run_before_it_begins(workshop: Workshop, run: Run) -> None:
    workshop.example()
    folder = workshop.root / "errorkb" / "verification"
    folder.mkdir()
    (folder / "cpu.json").write_text("{")
    code, _, err = run("verify", "--device", "cpu", "--write")
    assert code == 2
    assert "is not a ledger" in err
    assert (folder / "cpu.json").read_text() == "{"


def terminated(workshop: Workshop, mark: Path, *arguments: str) -> tuple[str, float]:
    """stderr of a run that gets SIGTERM once after.py wrote `mark`, and how long it took to end."""
    workshop.script("after", f"import time\nopen({str(mark)!r}, 'w')\ntime.sleep(100)\n")
    command = [sys.executable, "-m", "errorkb", "--root", str(workshop.root), "verify"]
    process = subprocess.Popen(  # noqa: S603  (our own command)
        [*command, "--device", "cpu", "--write", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[1])},
    )
    deadline = time.monotonic() + 60
    while not mark.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert mark.exists()
    process.send_signal(signal.SIGTERM)
    began = time.monotonic()
    _, err = process.communicate(timeout=60)
    return err, time.monotonic() - began


def test_a_run_that_is_terminated_keeps_what_it_found(workshop: Workshop, tmp_path: Path) -> None:
    workshop.example()
    err, _ = terminated(workshop, tmp_path / "started")
    assert err == "errorkb: interrupted.\n"
    assert outcomes(ledger(workshop)) == {f"{SLUG} before": "passed"}


def test_where_nothing_can_be_written_nothing_runs(workshop: Workshop, run: Run) -> None:
    workshop.example()
    (workshop.root / "errorkb" / "verification").write_text("no folder")
    mark = workshop.root / "ran"
    workshop.script("before", f"open({str(mark)!r}, 'w')\n")
    code, out, err = run("verify", "--device", "cpu", "--write")
    assert (code, out) == (2, "")
    assert "errorkb/verification cannot be written" in err
    assert not mark.exists()


def test_what_a_script_prints_does_not_steer_the_terminal(workshop: Workshop, run: Run) -> None:
    workshop.example()
    workshop.script("before", "print('\\x1b]0;title\\x07')\nraise KeyError('\\x1b[2J')\n")
    code, out, _ = run("verify", "--device", "cpu")
    assert code == 1
    assert "]0;title" in out
    assert "\x1b" not in out


def test_scripts_that_run_side_by_side_are_ended_too(workshop: Workshop, tmp_path: Path) -> None:
    workshop.example()
    err, seconds = terminated(workshop, tmp_path / "started", "--jobs", "3")
    assert err == "errorkb: interrupted.\n"
    assert seconds < 50


def test_list_as_json_is_one_object_a_record(workshop: Workshop, run: Run) -> None:
    workshop.example()
    workshop.put(
        "demo/told",
        code="EKB0002",
        example=None,
        not_executed="It needs a cluster.",
        triggers=[{"when": "Always.", "not_reproduced": "It needs a cluster."}],
    )
    run("verify", "--device", "cpu", "--write")
    code, out, err = run("list", "--json")
    assert (code, err) == (0, "")
    assert [json.loads(line) for line in out.splitlines()] == [
        {
            "code": "EKB0001",
            "slug": SLUG,
            "kind": "raises",
            "title": "An odd total",
            "status": "verified",
            "environments": {"cpu": {"before": "passed", "after": "passed"}},
        },
        {
            "code": "EKB0002",
            "slug": "demo/told",
            "kind": "raises",
            "title": "An odd total",
            "status": "documented",
            "environments": {},
        },
    ]
