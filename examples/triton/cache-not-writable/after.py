"""A service runs as an ordinary user; the folder for compiled kernels belongs to someone else."""

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
with tempfile.TemporaryDirectory(dir="/tmp") as folder, contextlib.ExitStack() as restore:
    cache = Path(folder, "triton-cache")
    Path(folder).chmod(0o755)
    cache.mkdir()
    cache.chmod(0o777)
    if os.geteuid() == 0:  # root may write anywhere
        os.seteuid(65534)
        restore.callback(os.seteuid, 0)
    os.environ["TRITON_CACHE_DIR"] = str(cache)
    scale[(1,)](x, actual, 0.5, BLOCK=128)
expected = 0.5 * x.double()
