"""The first launch in an image without Python's development headers."""

import os
import sysconfig
import tempfile
from pathlib import Path

import torch
import triton
import triton.language as tl

tools = tempfile.TemporaryDirectory()
compiler = Path(tools.name, "cc")  # finds everything but Python's headers
compiler.write_text("""#!/bin/sh
for argument do
    shift
    case "$argument" in -I*/include/python3*) ;; *) set -- "$@" "$argument" ;; esac
done
exec gcc "$@"
""")
compiler.chmod(0o755)
os.environ["CC"] = str(compiler)
os.environ["C_INCLUDE_PATH"] = sysconfig.get_paths()["include"]


@triton.jit
def scale(x, out, factor, BLOCK: tl.constexpr):
    element = tl.arange(0, BLOCK)
    tl.store(out + element, factor * tl.load(x + element))


x = torch.randn(128, device="cuda")
actual = torch.empty_like(x)
scale[(1,)](x, actual, 0.5, BLOCK=128)
expected = 0.5 * x.double()
