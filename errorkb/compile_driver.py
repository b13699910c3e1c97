"""A Triton driver for a GPU that is absent: kernels compile in full and are not launched.

It answers what Triton asks of a driver with the figures of one H200, so that `kernel[grid](...)` on
CPU tensors specialises, compiles to a cubin and checks its resources as it would there. Where a
kernel needs more than the device has, Triton itself raises OutOfResources. Nothing is executed, so
outputs keep the values they had and no timing means anything.
"""

from __future__ import annotations

import re
import subprocess
import sysconfig
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch
    from triton.backends.compiler import GPUTarget

CAPABILITY = 90
WARP_SIZE = 32
MAX_THREADS = 1024
PROPERTIES = {
    "max_shared_mem": 232_448,  # bytes a block can opt in to; clocks in kHz, bus width in bits
    "max_num_regs": 65_536,
    "multiprocessor_count": 132,
    "warpSize": WARP_SIZE,
    "sm_clock_rate": 1_980_000,
    "mem_clock_rate": 3_201_000,
    "mem_bus_width": 6_144,
}
"""What `utils.get_device_properties` of Triton's own driver returns on an H200."""


class CompileOnlyDriver:
    """What Triton (3.0 and newer) reads of `triton.runtime.driver.active`.

    `compiled` counts the kernels that compiled, whether by a launch or by `triton.compile`.
    """

    def __init__(self) -> None:
        self.compiled = 0
        self.launcher_cls = _Launcher
        self.utils = SimpleNamespace(
            get_device_properties=lambda _device: dict(PROPERTIES),
            load_binary=self._load_binary,
        )

    def _load_binary(
        self, name: str, kernel: bytes, shared: int, device: int
    ) -> tuple[object, ...]:
        """Module, function, registers and spills of a thread; from 3.4 on its largest block."""
        del name, shared, device
        loaded = (object(), object(), *_resource_usage(kernel))
        return (*loaded, MAX_THREADS) if _version() >= (3, 4) else loaded

    def get_current_target(self) -> GPUTarget:
        from triton.backends.compiler import GPUTarget

        return GPUTarget("cuda", CAPABILITY, WARP_SIZE)

    def get_active_torch_device(self) -> torch.device:
        import torch

        return torch.device("cpu")

    @staticmethod
    def get_current_device() -> int:
        return 0

    @staticmethod
    def set_current_device(device: int) -> None:
        """There is one device."""

    @staticmethod
    def get_current_stream(device: int | None = None) -> int:
        del device
        return 0

    @staticmethod
    def get_device_capability(device: int | None = None) -> tuple[int, int]:
        del device
        return divmod(CAPABILITY, 10)

    @staticmethod
    def is_active() -> bool:
        return True

    @staticmethod
    def get_benchmarker() -> Callable[..., Sequence[float]]:
        """Autotuning compiles every configuration and finds those that compile equally fast."""
        return _benchmark


class _Launcher:
    """Stands in for the launcher of one compiled kernel; calling it does nothing."""

    def __init__(self, src: object, metadata: object) -> None:
        del src, metadata

    def __call__(self, *arguments: Any) -> None:  # noqa: ANN401  (a launch takes whatever the kernel does)
        pass


def _benchmark(
    kernel_call: Callable[[], object], *, quantiles: Sequence[float], **_settings: object
) -> Sequence[float]:
    kernel_call()
    return [1.0] * len(quantiles)


def _version() -> tuple[int, ...]:
    """Major and minor version of Triton."""
    from triton import __version__

    return tuple(int(part) for part in __version__.split(".")[:2])


def _resource_usage(cubin: bytes) -> tuple[int, int]:
    """Registers and spilled 32-bit words of a thread, from the cubin by the bundled cuobjdump.

    Spills are in local memory, which the driver counts whole: the stack frame is part of it.
    """
    from triton.backends import nvidia

    cuobjdump = Path(nvidia.__path__[0]) / "bin" / "cuobjdump"
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        Path(file.name).write_bytes(cubin)
        run = subprocess.run(  # noqa: S603  (Triton's own tool on Triton's own output)
            [cuobjdump, "--dump-resource-usage", file.name],
            capture_output=True,
            text=True,
            check=True,
        )
    usage = {
        name: int(value) for name, value in re.findall(r"\b(REG|STACK|LOCAL):(\d+)", run.stdout)
    }
    return usage["REG"], (usage["STACK"] + usage["LOCAL"]) // 4


def install() -> CompileOnlyDriver:
    """Make a compile-only driver the active one of this process, and return it.

    Raises:
        ImportError: triton cannot be imported.
    """
    from triton.compiler import CompiledKernel
    from triton.runtime import driver

    stand_in = CompileOnlyDriver()
    driver.set_active(stand_in)
    # Triton 3.3 reads these when it compiles; a script may by then have become another user, who
    # cannot read the files of this one's Python.
    sysconfig.get_config_vars()
    construct = CompiledKernel.__init__

    def counted(self: object, *arguments: object, **keywords: object) -> None:
        construct(self, *arguments, **keywords)
        stand_in.compiled += 1

    # Every compilation ends here in every release; knobs, with a listener for it, came with 3.4.
    CompiledKernel.__init__ = counted
    return stand_in
