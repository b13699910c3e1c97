"""Use the GPU in a process that finds no driver library (an empty one stands for none)."""

import os
import subprocess
import sys
import tempfile

import torch

hide_driver = True
step = "import torch; print(torch.full((2,), 21.0, device='cuda').sum().item())"
with tempfile.TemporaryDirectory() as folder:
    build = ["gcc", "-shared", "-fPIC", "-Wl,-soname,libcuda.so.1", "-x", "c", os.devnull]
    subprocess.run([*build, "-o", f"{folder}/libcuda.so.1"], check=True)  # noqa: S603  (a fixed command)
    environment = dict(os.environ)
    if hide_driver:
        environment["LD_LIBRARY_PATH"] = f"{folder}:{os.environ.get('LD_LIBRARY_PATH', '')}"
    worker = subprocess.run(  # noqa: S603  (a fixed command)
        [sys.executable, "-c", step],
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
if worker.returncode:
    sys.exit(worker.returncode)
actual, expected = torch.tensor(float(worker.stdout)), torch.tensor(42.0)
