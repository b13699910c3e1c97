"""Use the GPU with a driver library that reports the version of CUDA 11.4."""

import os
import subprocess
import sys
import tempfile

import torch

old_driver = False
source = """
int cuDriverGetVersion(int *version) { *version = 11040; return 0; }
int cuInit(unsigned flags) { return 0; }
"""
step = "import torch; print(torch.full((2,), 21.0, device='cuda').sum().item())"
with tempfile.TemporaryDirectory() as folder:
    build = ["gcc", "-shared", "-fPIC", "-Wl,-soname,libcuda.so.1", "-x", "c", "-"]
    subprocess.run([*build, "-o", f"{folder}/libcuda.so.1"], input=source, text=True, check=True)  # noqa: S603  (a fixed command)
    environment = dict(os.environ)
    if old_driver:
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
