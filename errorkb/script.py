"""Run one script as `python script.py` would, inside a process that is thrown away afterwards.

This file runs in the process of the script: it imports nothing beyond the standard library before
the script does (`errorkb.forkserver` may have preloaded more) and leaves its findings as JSON in
the file that the job names.
"""

from __future__ import annotations

import contextlib
import ctypes
import dis
import json
import os
import random
import sys
import time
import traceback
import types
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import Any

from errorkb.compare import compare

STDOUT, STDERR = 1, 2
TIME, OUTPUT = "time", "output"
"""What a process was ended for."""


@dataclass(frozen=True)
class Job:
    """What one process does; all paths are absolute."""

    script: str
    guard: str | None
    """The snippet to execute in the namespace that the script leaves."""
    place: str
    relative: float | None
    """The bound of the comparison, where the record has its own."""
    seed: int
    fresh: bool
    """In a new interpreter instead of a fork of one that has the frameworks loaded."""
    timeout: float
    max_bytes: int
    """Of output; a process that has written more is ended."""
    environ: dict[str, str]
    directory: str
    """The working directory, empty."""
    output: str
    """The file that takes stdout and stderr."""
    result: str
    """The file that takes the findings; absent when the process was killed."""


def execute(job: Job) -> int:
    """Run the script, the guard and the comparison; returns the exit code that Python would give.

    The findings are keys of `errorkb.runner.Report`.
    """
    os.environ.clear()
    os.environ.update(job.environ)
    os.chdir(job.directory)
    compiled = _prepare(job)
    module = types.ModuleType("__main__")
    vars(module).update(
        __file__=job.script, __builtins__=__builtins__, __annotations__={}, __cached__=None
    )
    module.__loader__ = SourceFileLoader("__main__", job.script)
    module.__spec__ = None
    sys.modules["__main__"] = module
    sys.argv = [job.script]
    sys.path.insert(0, str(Path(job.script).parent))

    started = time.perf_counter()
    error = _run_file(job.script, vars(module))
    ended, code = _ending(error)
    flush()
    findings = {
        "ended": ended,
        "exit_code": code,
        "exceptions": _chain(error) if ended == "raised" else [],
        "seconds": time.perf_counter() - started,
        "output_bytes": Path(job.output).stat().st_size,
        "compiled": compiled(),
        "variables": [name for name in ("actual", "expected") if name in vars(module)],
        "comparison": _comparison(job, vars(module)),
        "guard": _guard(job.guard, vars(module)),
    }
    partial = Path(job.result + ".part")
    partial.write_text(json.dumps(findings), encoding="utf-8")
    partial.rename(job.result)
    return code


def _prepare(job: Job) -> Callable[[], int]:
    """Seed what is loaded; install the driver of the compile place.

    Returns the count of kernels that were compiled and not launched.
    """
    random.seed(job.seed)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(job.seed % 2**32)
    if "torch" in sys.modules:
        sys.modules["torch"].manual_seed(job.seed)
    if job.place != "compile":
        return lambda: 0
    from errorkb.compile_driver import install

    driver = install()
    return lambda: driver.compiled


def _run_file(path: str, namespace: dict[str, Any]) -> BaseException | None:
    """What the file raised, without the frames of this module."""
    try:
        code = compile(Path(path).read_bytes(), path, "exec", dont_inherit=True)
        exec(code, namespace)  # noqa: S102  (the example is what there is to run)
    except BaseException as error:  # noqa: BLE001  (SystemExit and KeyboardInterrupt included)
        frames = error.__traceback__
        return error.with_traceback(frames.tb_next if frames is not None else None)
    return None


def _ending(error: BaseException | None) -> tuple[str, int]:
    """How the script ended and its exit code; prints what Python would print."""
    if error is None:
        return "finished", 0
    if not isinstance(error, SystemExit):
        sys.excepthook(type(error), error, error.__traceback__)
        return "raised", 1
    code = error.code
    if code is not None and not isinstance(code, int):
        print(code, file=sys.stderr)
        code = 1
    return ("exited", code & 0xFF) if code else ("finished", 0)


def _chain(error: BaseException | None) -> list[dict[str, str]]:
    """The exception that ended the script, then those that it was raised from or holds."""
    found: list[dict[str, str]] = []
    seen: set[int] = set()
    todo: list[BaseException | None] = [error]
    while todo:
        each = todo.pop(0)
        if each is None or id(each) in seen:
            continue
        seen.add(id(each))
        found.append(
            {
                "name": _qualified(type(each)),
                "message": _text(each),
                "printed": _whole("".join(traceback.format_exception_only(each)).rstrip("\n")),
            }
        )
        todo.append(each.__cause__)
        if not each.__suppress_context__:
            todo.append(each.__context__)
        if isinstance(each, BaseExceptionGroup):
            todo += each.exceptions
    return found


def _qualified(kind: type) -> str:
    """The class as a traceback prints it."""
    module, name = kind.__module__, kind.__qualname__
    return _whole(name if module in ("builtins", "__main__") else f"{module}.{name}")


def _text(error: BaseException) -> str:
    try:
        return _whole(str(error))
    except Exception as failure:  # noqa: BLE001  (a broken __str__ must not hide the exception)
        return f"<message unavailable: {type(failure).__name__}>"


def _whole(text: str) -> str:
    """Text with half a surrogate pair as stderr prints it, which no file can hold."""
    return text.encode(errors="backslashreplace").decode()


def _comparison(job: Job, namespace: dict[str, Any]) -> dict[str, object] | None:
    if job.place == "compile" or not {"actual", "expected"} <= namespace.keys():
        return None
    try:
        result = compare(
            namespace["actual"],
            namespace["expected"],
            relative=job.relative,
            truncates=job.place == "interpreter",
        )
    except Exception as failure:  # noqa: BLE001  (reading tensors of a lost context, say)
        sentence = f"comparing raised {type(failure).__name__}: {_text(failure)}"
        return {"verdict": "unusable", "max_error": None, "sentence": sentence}
    return asdict(result)


def _guard(path: str | None, namespace: dict[str, Any]) -> dict[str, str] | None:
    """Whether the guard let the values pass, rejected them, or broke.

    It rejects by an explicit `raise` or `assert`, its own or in Python code that it calls. Any
    other exception (a misspelt name, an error from native code) says nothing about the values.
    """
    if path is None:
        return None
    error = _run_file(path, namespace)
    if error is None:
        return {"outcome": "passed", "sentence": ""}
    sentence = f"{_qualified(type(error))}: {_text(error)}"
    outcome = "rejected" if _explicitly_raised(error) else "broken"
    return {"outcome": outcome, "sentence": sentence}


def _explicitly_raised(error: BaseException) -> bool:
    frames = error.__traceback__
    if frames is None:
        return False
    while frames.tb_next is not None:
        frames = frames.tb_next
    code = frames.tb_frame.f_code.co_code
    return dis.opname[code[frames.tb_lasti]] in ("RAISE_VARARGS", "RERAISE")


def flush() -> None:
    """Write out what Python and native code have printed."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):  # closed or replaced by the script
            stream.flush()
    ctypes.CDLL(None).fflush(None)
