"""What a paste says beside its errors: that it holds only wrappers, or is of other software."""

from __future__ import annotations

from errorkb.traceback import Raised, Report

_WORKER = (
    "look for the worker's own traceback: the first 'Traceback' above this one whose lines carry "
    "another process's prefix, or the log file of that process"
)
_KILLED = (
    "it was killed from outside, by the kernel's out-of-memory killer as a rule: "
    "`dmesg -T | grep -i 'killed process'` names it"
)

_WRAPPERS = (
    # (what the text holds, in lower case; what it means; what to look for)
    ("exitcode: -9", "a worker got SIGKILL", _KILLED),
    ("exitcode  : -9", "a worker got SIGKILL", _KILLED),
    ("exit code -9", "a worker got SIGKILL", _KILLED),
    ("exit code: 137", "a process got SIGKILL", _KILLED),
    ("exit code 137", "a process got SIGKILL", _KILLED),
    (
        "exitcode: -11",
        "a worker died of a segmentation fault",
        "run that rank alone with `python -X faulthandler` to see where",
    ),
    (
        "exitcode: -6",
        "a worker aborted",
        "look above for what it printed last: 'terminate called', 'LLVM ERROR' or an assertion",
    ),
    ("childfailederror", "the launcher reports that a rank failed, not why", _WORKER),
    ("engine core initialization failed", "the engine process failed first", _WORKER),
    ("engine core proc", "the engine process failed first", _WORKER),
    ("enginedeaderror", "the engine process failed first", _WORKER),
    ("enginecore encountered an issue", "the engine process failed first", _WORKER),
    ("workerproc initialization failed", "a worker failed first", _WORKER),
    ("workerproc hit an exception", "a worker failed first", _WORKER),
    ("got fatal signal from worker processes", "a worker failed first", _WORKER),
    ("scheduler hit an exception", "the scheduler process failed first", _WORKER),
    ("received sigquit from a child process", "a child process failed first", _WORKER),
    (
        "a worker died or was killed",
        "a Ray worker died, and this line is Ray's, not the worker's",
        "look in /tmp/ray/session_latest/logs on that node for the worker's file, and in "
        "`dmesg -T` for 'Killed process'",
    ),
    ("worker unexpectedly exits", "a worker process died", _KILLED),
    (
        "gloo/transport",
        "the other end of a connection went away: another rank failed first",
        "look in the other ranks' logs for the earliest traceback",
    ),
    (
        "connection closed by peer",
        "the other end of a connection went away: another rank failed first",
        "look in the other ranks' logs for the earliest traceback",
    ),
    (
        "connection reset by peer",
        "the other end of a connection went away: another process failed first",
        "look in the other processes' logs for the earliest traceback",
    ),
    ("processraisedexception", "a spawned process failed first", _WORKER),
    ("processexitedexception", "a spawned process died", _WORKER),
    ("raytaskerror", "a Ray task failed first", _WORKER),
    ("brokenprocesspool", "a process of the pool died", _KILLED),
    ("root cause above", "the cause was printed earlier", _WORKER),
    ("stack trace above for root cause", "the cause was printed earlier", _WORKER),
)
_BARE = {
    "killed": ("the process got SIGKILL", _KILLED),
    "segmentation fault": (
        "the process crashed in native code",
        "run it again with `python -X faulthandler` to see where",
    ),
    "segmentation fault (core dumped)": (
        "the process crashed in native code",
        "run it again with `python -X faulthandler` to see where",
    ),
    "aborted": (
        "the process aborted",
        "look above for what it printed last: 'terminate called', 'LLVM ERROR' or an assertion",
    ),
    "aborted (core dumped)": (
        "the process aborted",
        "look above for what it printed last: 'terminate called', 'LLVM ERROR' or an assertion",
    ),
}

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
    wrapper: str | None = None
    for raised in report.exceptions:
        text = f"{raised.cls or ''}: {raised.message}"
        said = _wrapped(text)
        if said is None and not _says_nothing(raised):
            return None
        wrapper = wrapper or said or _unsaid(raised)
    for line in report.lines:
        said = _wrapped(line.text) or _alone(line.body)
        # The signal that ended a worker says more than the launcher's summary.
        if said is not None and (wrapper is None or "SIGKILL" in said):
            wrapper = said
    return wrapper or (_TRUNCATED if report.headers and not report.exceptions else None)


def is_wrapper(raised: Raised) -> bool:
    """Whether an exception only reports that something else failed."""
    return _says_nothing(raised) or _wrapped(f"{raised.cls or ''}: {raised.message}") is not None


def foreign(text: str) -> str | None:
    """The other software that a line, a frame or a class belongs to."""
    lowered = text.lower()
    return next((whose for mark, whose in _FOREIGN.items() if mark in lowered), None)


_TRUNCATED = (
    "the paste ends before the exception itself; add the lines below the last 'File …' line, down "
    "to 'SomeError: …'"
)


def _wrapped(text: str) -> str | None:
    lowered = text.lower()
    for mark, meaning, look in _WRAPPERS:
        if mark in lowered:
            return f"{meaning}; {look}"
    return None


def _alone(body: str) -> str | None:
    said = _BARE.get(body.strip().rstrip(".").lower())
    return None if said is None else f"{said[0]}; {said[1]}"


def _says_nothing(raised: Raised) -> bool:
    """An exception group without its members, a compile error without its message."""
    short = (raised.cls or "").rpartition(".")[2]
    if short.endswith("ExceptionGroup"):
        return True
    return short == "CompilationError" and raised.message.startswith("at ")


def _unsaid(raised: Raised) -> str:
    short = (raised.cls or "").rpartition(".")[2]
    if short.endswith("Group"):
        return "an exception group only counts its members; add the lines marked with | below it"
    return (
        "the compile error's own message is missing; it is the last line below the source excerpt, "
        "or the first exception of the chain above it"
    )
