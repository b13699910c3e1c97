"""Compile every kernel at its production shapes for one target, without a GPU; print what it needs.

    python compile_ops.py cuda:90
    python compile_ops.py hip:gfx942

Run in a process of its own, without TRITON_INTERPRET: it replaces Triton's driver. The public ops
are called on CPU tensors, so that kernels are specialised as their launches specialise them; each
launch compiles and stops there. Prints one JSON object a kernel.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import kda_kernels as ops
import torch
import triton
from triton.backends.compiler import GPUTarget
from triton.runtime.jit import JITFunction

HEADS = 12
"""Kimi K3 under tensor parallelism over 8 GPUs; every head dim is 128."""


class Driver:
    """As much of a driver as specialising and compiling asks for."""

    def __init__(self, target: GPUTarget) -> None:
        self._target = target

    def get_current_target(self) -> GPUTarget:
        """The GPU to compile for."""
        return self._target

    @staticmethod
    def get_current_device() -> int:
        """The only device."""
        return 0

    @staticmethod
    def get_current_stream(device: int) -> int:
        """The only stream."""
        del device
        return 0


def compiled_kernels(calls: Sequence[Callable[[], object]]) -> list[tuple[str, Any]]:
    """Name and compiled kernel of every launch of one production-shaped call of each op."""
    found: list[tuple[str, Any]] = []
    run = JITFunction.run

    def compile_only(self: Any, *args: Any, grid: Any, warmup: bool, **kwargs: Any) -> Any:  # noqa: ANN401
        del warmup
        kernel = run(self, *args, grid=grid, warmup=True, **kwargs)
        found.append((self.__name__, kernel))
        return kernel

    JITFunction.run = compile_only
    for name, module in sys.modules.items():
        # No kernel runs on CPU tensors, says this check; here none is to.
        if name.startswith("kda_kernels.") and hasattr(module, "check_backend"):
            vars(module)["check_backend"] = lambda *_: None
    for call in calls:
        call()
    JITFunction.run = run
    return found


def verify(*, rings: bool, tokens: int, lower_bound: float = -5.0) -> None:
    """The fused verify op with its output norm, windows with adjacent channels as servers keep."""
    inputs = ops.sample_inputs(
        tokens_per_request=tokens, heads=HEADS, rings=rings, output_norm=True
    )
    for stream in "qkv":
        for name in (f"cs_{stream}", f"intermediate_conv_{stream}"):
            inputs[name] = inputs[name].mT.contiguous().mT
    ops.fused_kda_decode_mtp_dspark(**inputs | {"lower_bound": lower_bound})


def commit(*, rings: bool) -> None:
    """Fold or snapshot copy, and the rollback of the windows."""
    a = ops.sample_inputs(tokens_per_request=8, heads=HEADS, rings=rings)
    accept_lens = torch.ones(2, dtype=torch.int32, device=a["recurrent_state"].device)
    ops.commit_after_verify(**ops.commit_keywords(a), accept_lens=accept_lens)


CALLS = (
    lambda: verify(rings=False, tokens=8),
    lambda: verify(rings=True, tokens=4),
    lambda: verify(rings=True, tokens=8),
    lambda: verify(rings=True, tokens=16),
    lambda: verify(rings=True, tokens=8, lower_bound=-100.0),
    lambda: ops.kda_decode(**ops.sample_decode_inputs(heads=HEADS, output_norm=True)),
    lambda: commit(rings=True),
    lambda: commit(rings=False),
    lambda: ops.fused_recurrent_kda(
        **ops.sample_recurrent_inputs(heads=HEADS, value_heads=HEADS, value_dim=128)
    ),
    lambda: ops.fused_recurrent_kda(
        **ops.sample_recurrent_inputs(heads=HEADS, key_dim=256, value_heads=HEADS, value_dim=256)
    ),
    lambda: ops.kda_decode_fallback(**ops.sample_fallback_inputs(heads=HEADS, output_norm=True)),
    lambda: ops.causal_conv1d_update(**ops.sample_conv_inputs(channels=3 * HEADS * 128)),
)


def resources(kernel: Any) -> dict[str, int]:  # noqa: ANN401  triton's class has no types
    """Shared memory in bytes, registers of a thread and what does not fit into them, and whether
    launches depend on one another (PTX `griddepcontrol`)."""
    needs: dict[str, int] = {
        "shared": kernel.metadata.shared,
        "dependent": "griddepcontrol" in kernel.asm.get("ptx", ""),
    }
    if "cubin" in kernel.asm:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "kernel.cubin")
            file.write_bytes(kernel.asm["cubin"])
            tool = triton.knobs.nvidia.cuobjdump.path
            listing = subprocess.run(  # noqa: S603  Triton's own tool
                [tool, "--dump-resource-usage", str(file)],
                capture_output=True,
                text=True,
                check=True,
            ).stdout
        usage = {name: int(n) for name, n in re.findall(r"\b(REG|STACK|LOCAL):(\d+)", listing)}
        return needs | {"registers": usage["REG"], "spilled": usage["STACK"] + usage["LOCAL"]}
    listing = kernel.asm["amdgcn"]
    counts = {n: int(c) for n, c in re.findall(r"\.(vgpr_count|vgpr_spill_count): +(\d+)", listing)}
    return needs | {"registers": counts["vgpr_count"], "spilled": counts["vgpr_spill_count"]}


def main(target: str) -> None:
    """Compile for `backend:architecture` and print what each kernel needs."""
    os.environ["CUDA_VISIBLE_DEVICES"] = ""  # sample inputs prefer a GPU; the same result anywhere
    backend, _, architecture = target.partition(":")
    arch = int(architecture) if backend == "cuda" else architecture
    triton.runtime.driver.set_active(
        Driver(GPUTarget(backend, arch, 32 if backend == "cuda" else 64))
    )
    for name, kernel in compiled_kernels(CALLS):
        print(json.dumps({"kernel": name, **resources(kernel)}))


if __name__ == "__main__":
    main(sys.argv[1])
