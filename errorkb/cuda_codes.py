"""CUDA's names of its error codes, and what CUDA prints for each.

A report often has the name alone (`cudaErrorIllegalAddress in kernel.py:7`). The texts are those of
cudaGetErrorString; the names those of the runtime and driver APIs (NVIDIA's reference lists both).
"""

from __future__ import annotations

TYPE_CHECKING = False  # `typing` is not worth its import on the path of a lookup
if TYPE_CHECKING:
    from collections.abc import Iterator

_TEXTS = (
    ("InvalidValue", "INVALID_VALUE", "invalid argument"),
    ("MemoryAllocation", "OUT_OF_MEMORY", "out of memory"),
    ("InitializationError", "NOT_INITIALIZED", "initialization error"),
    ("InvalidConfiguration", "", "invalid configuration argument"),
    (
        "InsufficientDriver",
        "",
        "CUDA driver version is insufficient for CUDA runtime version",
    ),
    ("InvalidDeviceFunction", "", "invalid device function"),
    ("NoDevice", "NO_DEVICE", "no CUDA-capable device is detected"),
    ("InvalidDevice", "INVALID_DEVICE", "invalid device ordinal"),
    (
        "NoKernelImageForDevice",
        "NO_BINARY_FOR_GPU",
        "no kernel image is available for execution on the device",
    ),
    ("ECCUncorrectable", "ECC_UNCORRECTABLE", "uncorrectable ECC error encountered"),
    ("IllegalAddress", "ILLEGAL_ADDRESS", "an illegal memory access was encountered"),
    (
        "LaunchOutOfResources",
        "LAUNCH_OUT_OF_RESOURCES",
        "too many resources requested for launch",
    ),
    ("LaunchTimeout", "LAUNCH_TIMEOUT", "the launch timed out and was terminated"),
    ("Assert", "ASSERT", "device-side assert triggered"),
    ("HardwareStackError", "HARDWARE_STACK_ERROR", "hardware stack error"),
    ("IllegalInstruction", "ILLEGAL_INSTRUCTION", "an illegal instruction was encountered"),
    ("MisalignedAddress", "MISALIGNED_ADDRESS", "misaligned address"),
    (
        "InvalidAddressSpace",
        "INVALID_ADDRESS_SPACE",
        "operation not supported on global/shared address space",
    ),
    ("InvalidPc", "INVALID_PC", "invalid program counter"),
    ("LaunchFailure", "LAUNCH_FAILED", "unspecified launch failure"),
    (
        "StreamCaptureUnsupported",
        "STREAM_CAPTURE_UNSUPPORTED",
        "operation not permitted when stream is capturing",
    ),
    (
        "StreamCaptureInvalidated",
        "STREAM_CAPTURE_INVALIDATED",
        "operation failed due to a previous error during capture",
    ),
)
_SAYS = {
    **{f"cudaError{runtime}": text for runtime, _, text in _TEXTS},
    **{f"CUDA_ERROR_{driver}": text for _, driver, text in _TEXTS if driver},
}
_STARTS = ("cudaError", "CUDA_ERROR_")
_NAMES = 4
"""Names of one line that are read."""


def spelled_out(line: str) -> Iterator[tuple[str, str]]:
    """(name, message as torch prints it) of the codes that a line names."""
    for start in _STARTS:
        at = line.find(start)
        count = 0
        while at >= 0 and count < _NAMES:
            end = at
            while end < len(line) and (line[end].isalnum() or line[end] == "_"):
                end += 1
            text = _SAYS.get(line[at:end])
            if text is not None:
                yield line[at:end], f"CUDA error: {text}"
            count += 1
            at = line.find(start, end)
