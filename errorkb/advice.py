"""What a paste says beside its errors: that it holds only wrappers, or is of other software."""

from __future__ import annotations

from errorkb import wrappers
from errorkb.traceback import Raised, Report

_FOREIGN = {
    # what a line, a frame or a class holds, in lower case: whose it is
    "tritonserver": "NVIDIA's Triton inference server",
    "triton-server": "NVIDIA's Triton inference server",
    "triton_server": "NVIDIA's Triton inference server",
    "tritonclient": "NVIDIA's Triton inference server",
    "triton_python_backend": "NVIDIA's Triton inference server",
    "triton inference server": "NVIDIA's Triton inference server",
    "model_repository_manager": "NVIDIA's Triton inference server",
    "tensorflow": "TensorFlow",
    "stream_executor": "TensorFlow",
    "jaxlib": "JAX",
    "xla_extension": "JAX",
    "kaldi": "Kaldi",
    "error ([": "Kaldi",
    "numba.cuda": "Numba",
    "numba/cuda": "Numba",
    "cupy": "CuPy",
    "pycuda": "PyCUDA",
    "onnxruntime": "ONNX Runtime",
    "ggml": "ggml",
    "paddle/": "PaddlePaddle",
}


def needs_more(report: Report) -> str | None:
    """What to look for, when a paste holds no cause; None when it may hold one."""
    found: list[str] = []
    for raised in report.exceptions:
        said = wrappers.wrapped(_text(raised)) or _unsaid(raised)
        if not said:
            return None
        found += said
    for line in report.lines:
        found += wrappers.wrapped(line.text) or wrappers.alone(line.body)
    if found:
        return wrappers.summed_up(found)
    if report.headers or report.unfinished:
        return _TRUNCATED
    return _NATIVE if any(_is_native_frame(line.body) for line in report.lines) else None


def is_wrapper(raised: Raised) -> bool:
    """Whether an exception only reports that something else failed."""
    return bool(_unsaid(raised) or wrappers.wrapped(_text(raised)))


def foreign(text: str) -> str | None:
    """The other software that a line, a frame or a class belongs to."""
    lowered = text.lower()
    return next((whose for mark, whose in _FOREIGN.items() if mark in lowered), None)


_TRUNCATED = (
    "the paste ends before the exception itself; add the lines below the last 'File …' line, down "
    "to 'SomeError: …'"
)


_NATIVE = (
    "these are frames of native code without the error; add what stands above them, such as the "
    "line after 'what():' or before 'Exception raised from'"
)
_GROUP = "an exception group only counts its members; add the lines marked with | below it"
_COMPILE = (
    "the compile error's own message is missing; it is the last line below the source excerpt, "
    "or the first exception of the chain above it"
)
_PIPE = (
    "the process at the other end of a pipe died; look for that process's own traceback, and in "
    "`dmesg -T` for 'Killed process'"
)
_BARE = "the exception has no message here; add what stands behind its class"
_MESSAGES = ("Error", "Exception")
_WITHOUT = frozenset(
    ["AssertionError", "EOFError", "MemoryError", "NotImplementedError", "TimeoutError"]
)
"""Classes that are often raised without a message."""


def _text(raised: Raised) -> str:
    return f"{raised.cls or ''}: {raised.message}"


def _unsaid(raised: Raised) -> list[str]:
    """What is missing of an exception that says nothing itself; empty where it says something."""
    short = (raised.cls or "").rpartition(".")[2]
    if short.endswith("ExceptionGroup"):
        return [_GROUP]
    if short == "CompilationError" and raised.message.startswith("at "):
        return [_COMPILE]
    if short in {"EOFError", "BrokenPipeError", "ConnectionResetError"} and any(
        file.endswith("multiprocessing/connection.py") for file, _ in raised.frames[-3:]
    ):
        return [_PIPE]
    if not raised.message and short.endswith(_MESSAGES) and short not in _WITHOUT:
        return [_BARE]
    return []


def _is_native_frame(body: str) -> bool:
    """`frame #3: c10::…` of torch, `#3  0x00007f… in …` of gdb."""
    bare = body.strip()
    return bare.startswith("frame #") or (bare[:1] == "#" and bare[1:2].isdigit() and " 0x" in bare)
