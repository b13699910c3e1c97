"""matrix: each release is installed once, runs what it can, and one that fails stops no other."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import pytest

from errorkb import ledger
from errorkb.cli import main as errorkb
from errorkb.model import Place

if TYPE_CHECKING:
    from conftest import Workshop

TOOL = Path(__file__).parents[2] / "tools/matrix.py"


@pytest.fixture
def matrix(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The tool, working on the small library, with two releases."""
    spec = importlib.util.spec_from_file_location("matrix", TOOL)
    assert spec is not None
    assert spec.loader is not None
    tool = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "matrix", tool)
    spec.loader.exec_module(tool)
    monkeypatch.setattr(tool, "ROOT", workshop.root)
    monkeypatch.setattr(tool, "FOLDER", workshop.root / ".matrix")
    monkeypatch.setattr(
        tool,
        "RELEASES",
        (tool.Release("1.1", "1.1.0", ("numpy==1.0",)), tool.Release("1.0", "1.0.0")),
    )
    return tool


@pytest.fixture
def commands(matrix: ModuleType, monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[list[str]]]:
    """Stand in for pip, which refuses one requirement, and for errorkb verify."""
    ran: list[list[str]] = []

    def stand_in(refused: str = "", printed: str | None = None) -> list[list[str]]:
        def pip(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
            ran.append(command)
            if command[-1] == refused:
                said = f"looking\nERROR: No matching distribution found for {refused}\n"
                return subprocess.CompletedProcess(command, 1, "", said)
            Path(command[command.index("--target") + 1]).mkdir()
            return subprocess.CompletedProcess(command, 0, "", "")

        def verify(command: list[str], variables: dict[str, str]) -> bytes:
            ran.append([*command, f"PYTHONPATH={variables['PYTHONPATH']}"])
            results = [{"outcome": "passed"}, {"outcome": "passed"}, {"outcome": "failed"}]
            text = json.dumps({"ledgers": [{"results": results}]}) if printed is None else printed
            return text.encode()

        monkeypatch.setattr(subprocess, "run", pip)
        monkeypatch.setattr(matrix, "_printed", verify)
        return ran

    return stand_in


def test_a_second_run_installs_nothing(
    matrix: ModuleType,
    workshop: Workshop,
    commands: Callable[..., list[list[str]]],
    capsys: pytest.CaptureFixture[str],
) -> None:
    workshop.example(example={"requires": ["interpreter", "gpu"]})
    ran = commands()
    assert matrix.main([]) == 0
    assert [command[-1] for command in ran if "pip" in command] == [
        "triton==1.1.0",
        "numpy==1.0",
        "triton==1.0.0",
    ]
    verify = next(command for command in ran if "verify" in command)
    folder = workshop.root / ".matrix"
    assert verify[-1].startswith(f"PYTHONPATH={folder}/triton-1.1.0:{folder}/numpy-1.0")
    assert verify[verify.index("verify") + 1 :][:5] == [
        "demo/odd-total",
        "--device",
        "interpreter",
        "--survey",
        "1.1",
    ]
    assert capsys.readouterr().out == (
        "1.1 interpreter: 1 failed, 2 passed\n1.0 interpreter: 1 failed, 2 passed\n"
    )
    ran.clear()
    assert matrix.main(["--release", "1.0"]) == 0
    assert [command for command in ran if "pip" in command] == []


def test_a_release_that_does_not_install_is_named_and_the_next_one_runs(
    matrix: ModuleType,
    workshop: Workshop,
    commands: Callable[..., list[list[str]]],
    capsys: pytest.CaptureFixture[str],
) -> None:
    workshop.example(example={"requires": ["compile"]})
    commands(refused="triton==1.1.0")
    assert matrix.main([]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "1.1: not installed: ERROR: No matching distribution found for triton==1.1.0",
        "1.0 compile: 1 failed, 2 passed",
    ]
    assert not (workshop.root / ".matrix/triton-1.1.0").exists()


def test_a_release_that_runs_nothing_is_no_success(
    matrix: ModuleType,
    workshop: Workshop,
    commands: Callable[..., list[list[str]]],
    capsys: pytest.CaptureFixture[str],
) -> None:
    workshop.example(example={"requires": ["compile"]})
    commands(printed="")
    assert matrix.main(["--release", "1.0"]) == 1
    assert capsys.readouterr().out == "1.0 compile: nothing ran\n"


def test_on_the_cpu_only_wordings_of_triton_depend_on_it(
    matrix: ModuleType, workshop: Workshop
) -> None:
    wording = {"template": "no driver", "software": "triton", "versions": "*", "origin": "executed"}
    workshop.example("demo/plain")
    workshop.example("demo/driver", code="EKB0002", messages=[wording])
    workshop.example("other/driver", code="EKB0003", messages=[wording])
    library = workshop.load()
    assert matrix.selected(library, [])[Place.CPU] == ["demo/driver", "other/driver"]
    assert matrix.selected(library, ["other"])[Place.CPU] == ["other/driver"]
    assert matrix.selected(library, [])[Place.COMPILE] == []


def test_kernels_that_do_not_import_are_left_out(matrix: ModuleType, workshop: Workshop) -> None:
    workshop.example("demo/plain", example={"requires": ["compile"]})
    workshop.example("demo/kernels", code="EKB0002", example={"requires": ["compile"]})
    workshop.script("before", "import kda_kernels\n", "demo/kernels")
    library = workshop.load()
    assert matrix.selected(library, [])[Place.COMPILE] == ["demo/kernels", "demo/plain"]
    assert matrix.selected(library, [], kernels=False)[Place.COMPILE] == ["demo/plain"]


def test_what_a_ledger_holds_as_it_is_today_need_not_run_again(
    matrix: ModuleType, workshop: Workshop, commands: Callable[..., list[list[str]]]
) -> None:
    wording = {"template": "got {n:int}", "software": "triton", "versions": "*"}
    message = {**wording, "origin": "executed"}
    workshop.example(messages=[{**message, "template": "expected an even total, got {n:int}"}])
    arguments = ["--root", str(workshop.root), "verify", "--device", "cpu", "--survey", "1.0"]
    assert errorkb([*arguments, "--write"]) == 0
    workshop.example("demo/other", code="EKB0002", messages=[message])
    ran = commands()
    assert matrix.main(["--release", "1.0", "--stale"]) == 0
    slugs = [[word for word in command if word.startswith("demo/")] for command in ran]
    assert slugs == [[], ["demo/other"]]
    workshop.script(
        "before", "total = 9\nraise ValueError(f'expected an even total, got {total}')\n"
    )
    ran.clear()
    assert matrix.main(["--release", "1.0", "--stale"]) == 0
    assert "demo/odd-total" in ran[-1]


def test_only_the_release_s_own_ledger_of_the_place_counts(
    matrix: ModuleType, workshop: Workshop
) -> None:
    workshop.example()
    verify = ["--root", str(workshop.root), "verify", "--device", "cpu", "--write"]
    assert errorkb([*verify, "--environment", "cpu-1.0"]) == 0
    release = matrix.Release("1.0", "1.0.0")
    assert matrix.current(workshop.load(), release, Place.CPU) == set()
    assert errorkb([*verify, "--survey", "1.0"]) == 0
    assert matrix.current(workshop.load(), release, Place.CPU) == {"demo/odd-total"}
    assert matrix.current(workshop.load(), release, Place.INTERPRETER) == set()
    other = matrix.Release("1.1", "1.1.0")
    assert matrix.current(workshop.load(), other, Place.CPU) == set()


def test_a_broken_record_is_named(
    matrix: ModuleType, workshop: Workshop, capsys: pytest.CaptureFixture[str]
) -> None:
    path = workshop.put()
    path.write_text("")
    assert matrix.main([]) == 2
    assert "is empty" in capsys.readouterr().err


def test_a_release_that_is_not_in_the_table(
    matrix: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        matrix.main(["--release", "0.9"])
    assert ended.value.code == 2
    err = capsys.readouterr().err
    assert err.startswith("make matrix: ")
    assert "invalid choice: '0.9'" in err
    assert err.count("\n") == 1


def test_a_family_that_no_record_has(
    matrix: ModuleType, workshop: Workshop, capsys: pytest.CaptureFixture[str]
) -> None:
    workshop.example()
    assert matrix.main(["--family", "demo", "--family", "dmeo"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == "make matrix: no record is of the family 'dmeo'; there are demo.\n"


@pytest.mark.parametrize(
    ("error", "code"), [(KeyboardInterrupt(), 130), (OSError(28, "No space left on device"), 2)]
)
def test_what_stops_a_run_is_a_sentence(
    matrix: ModuleType,
    workshop: Workshop,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    error: BaseException,
    code: int,
) -> None:
    def stop(*_: object) -> None:
        raise error

    workshop.example()
    monkeypatch.setattr(matrix, "install", stop)
    assert matrix.main([]) == code
    err = capsys.readouterr().err
    assert err.startswith("make matrix: ")
    assert err.count("\n") == 1


DRIVER = """
import importlib.util, pathlib, sys
spec = importlib.util.spec_from_file_location("matrix", sys.argv[1])
tool = sys.modules["matrix"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(tool)
tool.ROOT = pathlib.Path(sys.argv[2])
tool.RELEASES = (tool.Release("1.0", "1.0.0"),)
tool.install = lambda requirement, folder: folder
sys.exit(tool.main([]))
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_waits_until_what_ran_is_written(
    workshop: Workshop, tmp_path: Path, number: signal.Signals
) -> None:
    wording = {"template": "expected an even total, got {n:int}", "software": "triton"}
    message = {**wording, "versions": "*", "origin": "executed"}
    workshop.example(messages=[message])
    alone = {"requires": ["cpu"], "isolation": "process"}  # after all others
    workshop.example("demo/slow", code="EKB0002", messages=[message], example=alone)
    mark = tmp_path / "started"
    waiting = f"import time\nopen({str(mark)!r}, 'w')\ntime.sleep(100)\n"
    workshop.script("before", waiting, "demo/slow")
    process = subprocess.Popen(  # noqa: S603  (the tool on the small library)
        [sys.executable, "-c", DRIVER, str(TOOL), str(workshop.root)],
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(TOOL.parents[1])},
        start_new_session=True,
    )
    try:
        deadline = time.monotonic() + 60
        while not mark.exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        assert mark.exists()
        with ledger.alone(workshop.load().layout):  # so that the result cannot be written yet
            os.killpg(process.pid, number)  # as a terminal does it: all that are in its group
            time.sleep(2)
            assert process.poll() is None
        _, err = process.communicate(timeout=60)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
    assert process.returncode == 130
    said = "interrupted; the ledgers hold what ran, and --stale runs the rest."
    assert err == f"errorkb: interrupted.\nmake matrix: {said}\n"
    written = workshop.root / "errorkb/verification/triton-cpu-1.0.json"
    results = json.loads(written.read_text())["results"]
    assert {r["slug"] for r in results} == {"demo/odd-total"}
    assert {r["item"] for r in results} == {"before", "after"}
