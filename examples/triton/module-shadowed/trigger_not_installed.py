"""Triton is not installed, and a folder without Python files has its name."""

import sys
import tempfile
from pathlib import Path

with tempfile.TemporaryDirectory() as project:
    Path(project, "triton", "cache").mkdir(parents=True)
    without = [path for path in sys.path if not Path(path, "triton", "__init__.py").exists()]
    sys.path[:] = [project, *without]

    import triton

    @triton.jit
    def copy(x, out):
        pass
