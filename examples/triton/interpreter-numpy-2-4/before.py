"""Sum rows in the interpreter; the number of rows is an ordinary argument of the kernel."""

import subprocess
import sys
import tempfile

with tempfile.TemporaryDirectory() as packages:
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", packages]
    subprocess.run([*install, "numpy==2.4.6"], check=True)  # noqa: S603  (a fixed command)
    sys.path.insert(0, packages)

    import torch
    import triton
    import triton.language as tl

    @triton.jit
    def column_sums(x, out, rows, COLUMNS: tl.constexpr):
        column = tl.arange(0, COLUMNS)
        total = tl.zeros((COLUMNS,), dtype=tl.float32)
        for row in range(rows):
            total += tl.load(x + row * COLUMNS + column)
        tl.store(out + column, total)

    x = torch.randn(8, 32)
    actual = torch.empty(32)
    column_sums[(1,)](x, actual, 8, COLUMNS=32)
    expected = x.double().sum(0)
