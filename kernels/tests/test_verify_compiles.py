"""The verify kernels compile for every GPU they are meant for, whatever this machine has.

The interpreter accepts code that the compiler rejects, such as a loop variable whose type changes.
"""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

SCRIPT = """
import sys

import torch
from errorkb import compile_driver

compile_driver.CAPABILITY = int(sys.argv[1])
compile_driver.PROPERTIES["max_shared_mem"] = int(sys.argv[2])
driver = compile_driver.install()

from kda_kernels import sample_inputs, verify, verify_contract

for options in ({"output_norm": True}, {"rings": True, "output_norm": True}):
    for lower_bound in (-5.0, -100.0):
        inputs = sample_inputs(tokens_per_request=4, device="cpu", **options)
        inputs["lower_bound"] = lower_bound
        inputs["scale"] = 1.0
        fields = verify_contract.VerifyArguments._fields
        call = verify_contract.VerifyArguments(**{name: inputs.get(name) for name in fields})
        sizes = verify_contract.check_host(call)
        verify._launch(call, sizes, torch.empty_like(call.x_v), sizes.has_rings)
print(driver.compiled)
"""
SHARED_BYTES = {80: 166_912, 90: 232_448, 100: 232_448, 120: 101_376}
"""The shared memory that a program can have, by compute capability."""


@pytest.mark.parametrize("capability", SHARED_BYTES)
def test_compiles(capability: int) -> None:
    environment = {name: v for name, v in os.environ.items() if name != "TRITON_INTERPRET"}
    run = subprocess.run(  # noqa: S603, the script above in this interpreter
        [sys.executable, "-c", SCRIPT, str(capability), str(SHARED_BYTES[capability])],
        env=environment | {"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr[-2000:]
    # The serial kernel with snapshots and, at a strong decay, with rings; the streamed pair.
    assert int(run.stdout) == 4
