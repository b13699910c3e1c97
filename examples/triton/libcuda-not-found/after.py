"""Link against the NVIDIA driver library where the system's linker does not list it."""

import os
import tempfile
from pathlib import Path

from triton.backends.nvidia.driver import libcuda_dirs

with tempfile.TemporaryDirectory() as driver:
    Path(driver, "libcuda.so.1").touch()  # where the container puts the host's library
    os.environ["TRITON_LIBCUDA_PATH"] = driver
    actual = libcuda_dirs()
    expected = [driver]
