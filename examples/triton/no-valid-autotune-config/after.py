"""Matrix product; configurations that would not fit in shared memory are pruned by an estimate."""

import torch
import triton
import triton.language as tl

LIMIT = triton.runtime.driver.active.utils.get_device_properties(0)["max_shared_mem"]


def fits(configs, arguments, **_):
    size = arguments["a"].element_size()
    return [
        config
        for config in configs
        if (arguments["M"] + arguments["N"]) * config.kwargs["BLOCK_K"] * size * config.num_stages
        <= LIMIT
    ]


@triton.autotune(
    [triton.Config({"BLOCK_K": 128}, num_stages=4), triton.Config({"BLOCK_K": 32}, num_stages=2)],
    key=["K"],
    prune_configs_by={"early_config_prune": fits},
)
@triton.jit
def matmul(a, b, c, K, M: tl.constexpr, N: tl.constexpr, BLOCK_K: tl.constexpr):
    row = tl.arange(0, M)[:, None]
    column = tl.arange(0, N)[None, :]
    inner = tl.arange(0, BLOCK_K)
    total = tl.zeros((M, N), dtype=tl.float32)
    for first in range(0, K, BLOCK_K):
        left = tl.load(a + row * K + first + inner[None, :])
        right = tl.load(b + (first + inner[:, None]) * N + column)
        total = tl.dot(left, right, total)
    tl.store(c + row * N + column, total)


device = "cuda" if torch.cuda.is_available() else "cpu"
a = torch.randn(128, 512, device=device).half()
b = torch.randn(512, 128, device=device).half()
actual = torch.empty(128, 128, device=device)
matmul[(1,)](a, b, actual, 512, 128, 128)
expected = a.double() @ b.double()
