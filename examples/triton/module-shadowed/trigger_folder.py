"""A project that keeps its kernels in a package named triton."""

import sys
import tempfile
from pathlib import Path

with tempfile.TemporaryDirectory() as project:
    Path(project, "triton").mkdir()
    Path(project, "triton", "__init__.py").write_text("")
    sys.path.insert(0, project)  # Python puts the script's own folder there

    import triton

    @triton.autotune([], key=[])
    def copy(x, out):
        pass
