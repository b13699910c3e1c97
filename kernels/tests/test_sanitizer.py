"""compute-sanitizer finds no access out of bounds and no race in shared memory in any kernel."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("sanitize_ops.py")
CUDA = os.environ.get("CUDA_HOME", "/usr/local/cuda")
TOOL = shutil.which("compute-sanitizer") or shutil.which(f"{CUDA}/bin/compute-sanitizer")

RACE = re.compile(
    r"Race reported between (\w+) access at (\S+) in .*\n=+ +and (\w+) access at (\S+) in "
)


def _sanitized(check: str) -> str:
    """What the tool prints about one call of every op."""
    if TOOL is None:
        pytest.skip("compute-sanitizer, of the CUDA toolkit, is not here")
    run = subprocess.run(  # noqa: S603  the toolkit's own tool, on the script beside this file
        [TOOL, "--tool", check, sys.executable, str(SCRIPT)],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ
        | {"PYTHONPATH": os.pathsep.join(sys.path), "PYTORCH_NO_CUDA_MEMORY_CACHING": "1"},
    )
    assert run.returncode == 0, run.stdout[-4000:] + run.stderr[-4000:]
    assert re.search(r"^\d+ calls$", run.stdout, re.MULTILINE)
    return run.stdout


@pytest.mark.gpu
def test_memcheck_finds_nothing() -> None:
    assert "ERROR SUMMARY: 0 errors" in _sanitized("memcheck")


@pytest.mark.gpu
def test_racecheck_finds_no_two_instructions_in_conflict() -> None:
    """Triton lets threads that hold the same value of a small matrix store it to the same place;
    racecheck reports a race of the instruction with itself. That the values are the same is what
    the bitwise equal replays of `test_verify.py` show.
    """
    output = _sanitized("racecheck")
    assert "RACECHECK SUMMARY" in output
    races = RACE.findall(output)
    assert len(races) == output.count("Race reported")
    assert [r for r in races if r[0::2] != ("Write", "Write") or r[1] != r[3]] == []
