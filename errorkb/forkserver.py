"""The process that has the frameworks loaded and forks one child per script.

Loading torch and triton takes seconds, a fork milliseconds. The server never touches CUDA, so each
child starts as a new process would. It reads the paths of job files from a socket, one a line, and
answers each with how the child ended; it ends when the other side goes away, and takes a running
child with it.

    python -c "<bootstrap of errorkb.runner>" <file descriptor> <module to preload> ...
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import importlib
import json
import os
import resource
import select
import signal
import socket
import sys
import time
from pathlib import Path
from typing import NoReturn

from errorkb.script import OUTPUT, STDERR, STDOUT, TIME, Job, execute, flush

POLL_SECONDS = 0.01
BROKEN = 70
"""Exit code of a child whose machinery failed, as distinct from its script (EX_SOFTWARE)."""

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36


def serve(argv: list[str]) -> None:
    """Answer jobs until the other side closes the socket."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the other side's to handle
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)
    control = socket.socket(fileno=int(argv[0]))
    modules = argv[1:]
    with control, control.makefile("r", encoding="utf-8") as lines:
        for line in lines:
            path = line.rstrip("\n")
            job = _read(path)
            if not job.fresh:
                modules = _preload(modules, job.script)
            status, stopped = _run(job, path, control)
            answer = {"status": status, "stopped": stopped}
            control.sendall(json.dumps(answer).encode() + b"\n")


def run_fresh(argv: list[str]) -> NoReturn:
    """The new interpreter of a job with `fresh` set; the argument is the job file."""
    sys.exit(execute(_read(argv[0])))


def _read(path: str) -> Job:
    return Job(**json.loads(Path(path).read_text(encoding="utf-8")))


def _preload(modules: list[str], script: str) -> list[str]:
    """Load the modules that the script mentions; returns those that remain."""
    try:
        text = Path(script).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return modules
    for name in modules:
        if name in text:
            # Where one is missing or broken, the script that needs it says so itself.
            with contextlib.suppress(Exception):
                importlib.import_module(name)
    return [name for name in modules if name not in text]


def _run(job: Job, path: str, control: socket.socket) -> tuple[int, str | None]:
    """The wait status of the child, and which of `TIME` and `OUTPUT` it was killed for."""
    flush()  # or the child would print it again
    pid = os.fork()
    if pid == 0:
        _child(job, path, control)
    with contextlib.suppress(OSError):  # the child does the same; the first one wins
        os.setpgid(pid, pid)
    deadline = time.monotonic() + job.timeout
    stopped = None
    while os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        if time.monotonic() > deadline:
            stopped = TIME
        elif _size(job.output) > job.max_bytes:
            stopped = OUTPUT
        if stopped is not None:
            os.killpg(pid, signal.SIGKILL)
            break
        readable, _, _ = select.select([control], [], [], POLL_SECONDS)
        if readable and not control.recv(1, socket.MSG_PEEK):
            _end(pid)
            sys.exit(0)
    return _end(pid), stopped


def _size(output: str) -> int:
    """Bytes that were written; none where the file is not there yet, or not any more."""
    try:
        return Path(output).stat().st_size
    except OSError:
        return 0


def _end(pid: int) -> int:
    """Leave nothing of a child that ended or has to: its wait status."""
    # The group outlives its leader where the script started processes of its own.
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    # Those that left the group are children of the server once their parents have ended.
    while orphans := _children():
        for orphan in orphans:
            os.kill(orphan, signal.SIGKILL)
            os.waitpid(orphan, 0)
    return status


def _children() -> list[int]:
    """The server's children; none where the system does not say."""
    try:
        return [int(each) for each in Path("/proc/thread-self/children").read_text().split()]
    except OSError:
        return []


def _prctl(option: int, value: int) -> None:
    """Ask Linux for something about this process; other systems do without."""
    with contextlib.suppress(AttributeError):
        ctypes.CDLL(None).prctl(option, value)


def _child(job: Job, path: str, control: socket.socket) -> NoReturn:
    code = BROKEN
    try:
        with contextlib.suppress(OSError):
            os.setpgid(0, 0)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        os.close(control.fileno())  # `close` would wait for the lines that the server reads
        _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        _redirect(job.output)
        if job.fresh:
            bootstrap = sys.orig_argv[sys.orig_argv.index("-c") + 1]
            arguments = [sys.executable, "-c", bootstrap, "run_fresh", path]
            os.execve(sys.executable, arguments, job.environ)  # noqa: S606  (no shell is wanted)
        code = execute(job)
        atexit._run_exitfuncs()
    except BaseException:  # noqa: BLE001  (nothing may reach the server's own loop)
        sys.__excepthook__(*sys.exc_info())
    finally:
        with contextlib.suppress(BaseException):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


def _redirect(output: str) -> None:
    """Nothing to read, and both outputs into one file, in the order in which they come."""
    null = os.open(os.devnull, os.O_RDONLY)
    file = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(null, 0)
    for descriptor in (STDOUT, STDERR):
        os.dup2(file, descriptor)
    os.close(null)
    os.close(file)
