"""A training script whose project keeps its own launch settings in a module beside it."""

import sys
import tempfile
from pathlib import Path

with tempfile.TemporaryDirectory() as project:
    Path(project, "triton.py").write_text("BLOCK = 128\n")
    sys.path.insert(0, project)  # Python puts the script's own folder there

    import triton

    @triton.jit
    def copy(x, out):
        pass

    actual = triton.next_power_of_2(100)
    expected = 128
