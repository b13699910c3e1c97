"""The same module beside a script that imports the language first."""

import sys
import tempfile
from pathlib import Path

with tempfile.TemporaryDirectory() as project:
    Path(project, "triton.py").write_text("BLOCK = 128\n")
    sys.path.insert(0, project)  # Python puts the script's own folder there

    import triton.language as tl

    BLOCK = tl.constexpr(128)
