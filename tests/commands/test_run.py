"""`errorkb run`: the command's own output and exit code, and what its failure means."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Workshop

FAILS = (
    "import sys; print('out'); sys.stderr.write('before\\n'); "
    "raise ValueError('expected an even total, got 7')"
)


@pytest.fixture
def start(workshop: Workshop, tmp_path: Path) -> list[str]:
    """The beginning of a command line for a library of one record."""
    workshop.example()
    return [sys.executable, "-m", "errorkb", "--root", str(workshop.root), "run"]


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    path = os.pathsep.join(each for each in sys.path if each)
    return {**os.environ, "PYTHONPATH": path, "XDG_CACHE_HOME": str(tmp_path / "cache")}


def run(arguments: list[str], environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603  our own command line
        arguments, capture_output=True, text=True, check=False, env=environment, timeout=60
    )


def test_a_failure_is_passed_on_and_explained(
    start: list[str], environment: dict[str, str]
) -> None:
    done = run([*start, "--", sys.executable, "-c", FAILS], environment)
    assert done.returncode == 1
    assert done.stdout == "out\n"
    assert done.stderr.startswith("before\nTraceback")
    assert "errorkb: the command ended with exit code 1." in done.stderr
    assert "EKB0001  An odd total" in done.stderr


def test_a_success_says_nothing(start: list[str], environment: dict[str, str]) -> None:
    code = "import sys; sys.stderr.write('fine'); print('out')"
    done = run([*start, "--", sys.executable, "-c", code], environment)
    assert (done.returncode, done.stdout, done.stderr) == (0, "out\n", "fine")


def test_the_exit_code_is_the_commands(start: list[str], environment: dict[str, str]) -> None:
    done = run([*start, "--", sys.executable, "-c", "import sys; sys.exit(77)"], environment)
    assert done.returncode == 77
    assert "printed nothing to explain; if it reports on standard output, add --stdout" in (
        done.stderr
    )


def test_who_reads_standard_output_is_not_told_to(
    start: list[str], environment: dict[str, str]
) -> None:
    code = "raise SystemExit(3)"
    done = run([*start, "--stdout", "--", sys.executable, "-c", code], environment)
    assert done.returncode == 3
    assert done.stderr.endswith("errorkb: it printed nothing to explain.\n")


def test_a_signal_is_128_more(start: list[str], environment: dict[str, str]) -> None:
    code = "import os, signal; os.kill(os.getpid(), signal.SIGTERM)"
    done = run([*start, "--", sys.executable, "-c", code], environment)
    assert done.returncode == 128 + signal.SIGTERM
    assert f"killed by signal {signal.SIGTERM.value}" in done.stderr


def test_standard_output_is_read_when_asked(start: list[str], environment: dict[str, str]) -> None:
    code = "print('E   ValueError: expected an even total, got 7'); raise SystemExit(1)"
    plain = run([*start, "--", sys.executable, "-c", code], environment)
    assert "EKB0001" not in plain.stderr
    asked = run([*start, "--stdout", "--", sys.executable, "-c", code], environment)
    assert asked.stdout == plain.stdout
    assert "EKB0001" in asked.stderr


def test_json_is_the_last_line(start: list[str], environment: dict[str, str]) -> None:
    done = run([*start, "--json", "--", sys.executable, "-c", FAILS], environment)
    answer = json.loads(done.stderr.splitlines()[-1])
    assert answer["matches"][0]["code"] == "EKB0001"


@pytest.mark.parametrize(
    ("command", "says"),
    [([], "no command to run"), (["/no/such/command"], "cannot be run"), (["/"], "cannot be run")],
)
def test_what_cannot_be_run_is_one_sentence(
    start: list[str], environment: dict[str, str], command: list[str], says: str
) -> None:
    done = run([*start, "--", *command], environment)
    assert done.returncode == 2
    assert says in done.stderr
    assert done.stderr.count("\n") == 1


def test_output_comes_while_the_command_runs(start: list[str], environment: dict[str, str]) -> None:
    # Naps, not one long sleep: a signal that comes just before a sleep does not end it.
    code = (
        "import sys, time; sys.stderr.write('first\\n'); sys.stderr.flush()\n"
        "for _ in range(600): time.sleep(0.1)"
    )
    process = subprocess.Popen(  # noqa: S603  our own command line
        [*start, "--", sys.executable, "-c", code],
        stderr=subprocess.PIPE,
        env=environment,
        start_new_session=True,
    )
    try:
        assert process.stderr is not None
        assert process.stderr.readline() == b"first\n"
        # As Ctrl-C does: to the whole group. The command ends by it and its end is reported.
        os.killpg(process.pid, signal.SIGINT)
        assert process.wait(timeout=30) in {1, 128 + signal.SIGINT}
        assert b"the command" in process.stderr.read()
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        if process.stderr is not None:
            process.stderr.close()


def test_a_talkative_command_is_kept_in_bounds(
    start: list[str], environment: dict[str, str]
) -> None:
    code = (
        "import sys; sys.stderr.write('x' * 99 + '\\n'); "
        "[sys.stderr.write('noise ' * 20 + '\\n') for _ in range(100_000)]; "
        "raise ValueError('expected an even total, got 7')"
    )
    begun = time.monotonic()
    done = run([*start, "--", sys.executable, "-c", code], environment)
    assert time.monotonic() - begun < 30
    assert len(done.stderr) > 12_000_000
    assert "EKB0001  An odd total" in done.stderr
