"""Every kernel compiles for every supported architecture and fits its registers and memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from errorkb.limits import table

SCRIPT = Path(__file__).with_name("compile_ops.py")

TARGETS = {
    "cuda:80": "sm_80",
    "cuda:90": "sm_90",
    "cuda:100": "sm_100",
    "hip:gfx942": "gfx942",
}
"""What Triton compiles for, and the row of the table of limits."""


@pytest.mark.parametrize("target", TARGETS)
def test_kernels_compile_and_fit(target: str) -> None:
    environment = {name: x for name, x in os.environ.items() if name != "TRITON_INTERPRET"}
    environment["PYTHONPATH"] = os.pathsep.join(sys.path)
    run = subprocess.run(  # noqa: S603  this interpreter, on the script beside this file
        [sys.executable, str(SCRIPT), target],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    assert run.returncode == 0, run.stderr[-4000:]
    kernels = [json.loads(line) for line in run.stdout.splitlines()]
    assert {kernel["kernel"] for kernel in kernels} >= {
        "conv_kernel",
        "decode_kernel",
        "fold_kernel",
        "onorm_kernel",
        "recurrent_kernel",
        "rollback_kernel",
        "snapshot_kernel",
        "verify_kernel",
        "verify_prologue_kernel",
        "verify_stream_kernel",
    }
    assert {k["kernel"]: k["spilled"] for k in kernels if k["spilled"]} == {}
    (limits,) = (row for row in table() if row.target == TARGETS[target])
    assert [k for k in kernels if k["shared"] > limits.shared_per_block_opt_in] == []
    # What a GPU of this machine could do decides nothing.
    dependent = {kernel["kernel"] for kernel in kernels if kernel["dependent"]}
    assert dependent == (
        {"verify_prologue_kernel", "verify_stream_kernel"}
        if target in ("cuda:90", "cuda:100")
        else set()
    )
