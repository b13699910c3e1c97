"""The same user without TRITON_CACHE_DIR; the folder that holds .triton is not writable."""

import contextlib
import os
import tempfile
from pathlib import Path

import torch
import triton
import triton.language as tl


@triton.jit
def scale(x, out, factor, BLOCK: tl.constexpr):
    element = tl.arange(0, BLOCK)
    tl.store(out + element, factor * tl.load(x + element))


device = "cuda" if torch.cuda.is_available() else "cpu"
x = torch.randn(128, device=device)
actual = torch.empty_like(x)
with tempfile.TemporaryDirectory(dir="/tmp") as home, contextlib.ExitStack() as restore:
    Path(home).chmod(0o555)
    if os.geteuid() == 0:  # root may write anywhere
        os.seteuid(65534)
        restore.callback(os.seteuid, 0)
    os.environ.pop("TRITON_CACHE_DIR", None)
    os.environ["TRITON_HOME"] = home
    scale[(1,)](x, actual, 0.5, BLOCK=128)
expected = 0.5 * x.double()
