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

SUMMARIES = {
    "memcheck": "ERROR SUMMARY: 0 errors",
    "racecheck": "RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)",
}


@pytest.mark.gpu
@pytest.mark.parametrize("check", SUMMARIES)
def test_nothing_is_found(check: str) -> None:
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
    assert SUMMARIES[check] in run.stdout
