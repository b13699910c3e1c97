"""Compile a projection on the CPU with autotuning restricted to Triton's kernels."""

import torch

x, weight = torch.randn(64, 128), torch.randn(128, 64)
expected = x.double() @ weight.double()
options = {"max_autotune": True, "max_autotune_gemm_backends": "TRITON"}


@torch.compile(options=options)
def project(x):
    return x @ weight


actual = project(x)
