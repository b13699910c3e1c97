"""Run the scripts of one place, each in a process of its own, and report what happened.

A crash, a lost CUDA context, a changed environment variable or directory, a process left behind or
a script that never ends stays in its own process and is part of that script's report.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from threading import Lock
from typing import Any, Self

from errorkb.compare import Comparison, Verdict
from errorkb.environment import environ
from errorkb.model import Place
from errorkb.script import OUTPUT, TIME, Job

PRELOAD = ("torch", "triton", "kda_kernels")
MAX_OUTPUT = 1 << 20
"""Bytes of a script's output that are kept: half from its beginning, half from its end."""
MAX_WRITTEN = 64 << 20
"""Bytes of output after which a script is ended: one that never stops printing would otherwise fill
the disk before its time is over."""
PATIENCE = 300.0
"""Seconds beyond a script's time limit in which the server loads frameworks and answers."""

# The server must find this package whatever the working directory is, and its children must not
# see more of the path than the user's own scripts would.
_BOOTSTRAP = (
    "import sys; sys.path[0] = {parent!r}; import errorkb.forkserver as f; del sys.path[0]; "
    "getattr(f, sys.argv[1])(sys.argv[2:])"
)


class Ended(StrEnum):
    FINISHED = "finished"
    RAISED = "raised"
    EXITED = "exited"
    """With a code other than zero, by sys.exit."""
    KILLED = "killed"
    """By a signal."""
    TIMED_OUT = "timed-out"
    FLOODED = "flooded"
    """It printed more than MAX_WRITTEN."""
    LOST = "lost"
    """The process ended without a report: `os._exit`, or a fault of this machinery."""


class GuardOutcome(StrEnum):
    PASSED = "passed"
    REJECTED = "rejected"
    BROKEN = "broken"


@dataclass(frozen=True)
class Raised:
    """One exception: its class as printed, `str()` of it, and its last lines as printed."""

    name: str
    message: str
    printed: str


@dataclass(frozen=True)
class Guard:
    outcome: GuardOutcome
    sentence: str


@dataclass(frozen=True)
class Case:
    """One script to run."""

    script: Path
    guard: Path | None = None
    fresh: bool = False
    timeout: float = 120.0
    relative: float | None = None


@dataclass(frozen=True)
class Report:
    """What happened to one script.

    `exceptions` begins with the one that ended it and goes on with those it was raised from;
    `output` is stdout and stderr as a terminal would show them; `compiled` counts the kernels that
    were compiled, in the compile place.
    """

    ended: Ended
    detail: str
    output: str
    seed: int
    seconds: float = 0.0
    exceptions: tuple[Raised, ...] = ()
    variables: frozenset[str] = frozenset()
    comparison: Comparison | None = None
    guard: Guard | None = None
    compiled: int = 0


class Runner:
    """Runs scripts of one place; use as a context manager.

    Args:
        place: where; it decides the environment variables.
        preload: modules that forked processes find loaded, once a script has mentioned them.
        path: folders where scripts find packages before they look anywhere else.
        cache: folder for compiled kernels, which may be shared; by default one of its own.
    """

    def __init__(
        self,
        place: Place,
        *,
        preload: Sequence[str] = PRELOAD,
        path: Sequence[Path] = (),
        cache: Path | None = None,
    ) -> None:
        self.place = place
        self._preload = tuple(preload)
        self._path = tuple(str(folder.resolve()) for folder in path)
        self._server: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self._folder = Path(tempfile.mkdtemp(prefix="errorkb-"))
        self._cache = cache if cache is not None else self._folder / "triton"
        self._count = 0
        self._stopping = Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """End the server and a script that still runs; remove all temporary files."""
        self._stop()
        shutil.rmtree(self._folder, ignore_errors=True)

    def run(self, case: Case) -> Report:
        """Run one script to its end or its time limit."""
        self._count += 1
        folder = self._folder / f"{self._count}"
        for name in ("tmp", "work"):  # with its parents: a script can remove what it finds
            (folder / name).mkdir(parents=True)
        job = Job(
            script=str(case.script.resolve()),
            guard=str(case.guard.resolve()) if case.guard is not None else None,
            place=self.place.value,
            relative=case.relative,
            seed=secrets.randbelow(2**31),
            fresh=case.fresh,
            timeout=case.timeout,
            max_bytes=MAX_WRITTEN,
            environ=self._environ()
            | {
                "TMPDIR": str(folder / "tmp"),
                # Compiled kernels are keyed by all that they depend on, so sharing is safe.
                "TRITON_CACHE_DIR": str(folder / "triton" if case.fresh else self._cache),
            },
            directory=str(folder / "work"),
            output=str(folder / "output"),
            result=str(folder / "result"),
        )
        try:
            path = folder / "job"
            path.write_text(json.dumps(asdict(job)), encoding="utf-8")
            return self._submit(job, path)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _submit(self, job: Job, path: Path) -> Report:
        control = self._start()
        try:
            control.settimeout(job.timeout + PATIENCE)
            control.sendall(f"{path}\n".encode())
            answer = _line(control)
        except OSError:
            answer = b""
        except BaseException:  # Ctrl-C: the script must not outlive us
            self._stop()
            raise
        if not answer:
            self._stop()
            log = read_output(str(self._folder / "server")).strip()
            detail = f"the process that starts scripts ended: {log[-500:] or 'no message'}"
            return Report(Ended.LOST, detail, read_output(job.output, None), job.seed)
        ended = json.loads(answer)
        return _report(job, int(ended["status"]), ended["stopped"])

    def _start(self) -> socket.socket:
        if self._control is not None:
            return self._control
        parent = str(Path(__file__).resolve().parent.parent)
        ours, theirs = socket.socketpair()
        with theirs, (self._folder / "server").open("wb") as log:
            self._server = subprocess.Popen(  # noqa: S603  (our own interpreter and code)
                [
                    sys.executable,
                    "-c",
                    _BOOTSTRAP.format(parent=parent),
                    "serve",
                    str(theirs.fileno()),
                    *self._preload,
                ],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=self._environ(),
                pass_fds=[theirs.fileno()],
            )
        self._control = ours
        return ours

    def _stop(self) -> None:
        with self._stopping:  # another thread may close what this one waits for
            if self._control is not None:
                # The server sees it, kills its child and ends; a thread that waits wakes up.
                with contextlib.suppress(OSError):
                    self._control.shutdown(socket.SHUT_RDWR)
                self._control.close()
                self._control = None
            if self._server is not None:
                try:
                    self._server.wait(timeout=10)
                except subprocess.TimeoutExpired:
                    self._server.kill()
                    self._server.wait()
                self._server = None

    def _environ(self) -> dict[str, str]:
        variables = environ(self.place) | {"TMPDIR": str(self._folder)}
        path = [*self._path, *filter(None, [variables.get("PYTHONPATH")])]
        return variables | ({"PYTHONPATH": os.pathsep.join(path)} if path else {})


def _line(control: socket.socket) -> bytes:
    """One answer; empty where the other side is gone."""
    data = b""
    while not data.endswith(b"\n"):
        piece = control.recv(4096)
        if not piece:
            return b""
        data += piece
    return data


def _report(job: Job, status: int, stopped: str | None) -> Report:
    findings = _findings(job)
    output = read_output(job.output, findings["output_bytes"] if findings else None)
    if stopped == TIME:
        return Report(Ended.TIMED_OUT, still_ran(job.timeout), output, job.seed)
    if stopped == OUTPUT:
        return Report(Ended.FLOODED, printed_more_than(job.max_bytes), output, job.seed)
    if os.WIFSIGNALED(status):
        when = " while it was ending" if findings else ""
        detail = f"killed by {_signal_name(os.WTERMSIG(status))}{when}"
        return Report(Ended.KILLED, detail, output, job.seed)
    if findings is None:
        code = os.waitstatus_to_exitcode(status)
        detail = f"ended with exit code {code} before its results could be read"
        return Report(Ended.LOST, detail, output, job.seed)
    comparison, guard = findings["comparison"], findings["guard"]
    return Report(
        ended=Ended(findings["ended"]),
        detail=f"exit code {findings['exit_code']}",
        output=output,
        seed=job.seed,
        seconds=findings["seconds"],
        exceptions=tuple(Raised(**raised) for raised in findings["exceptions"]),
        variables=frozenset(findings["variables"]),
        comparison=comparison
        and Comparison(
            Verdict(comparison["verdict"]), comparison["max_error"], comparison["sentence"]
        ),
        guard=guard and Guard(GuardOutcome(guard["outcome"]), guard["sentence"]),
        compiled=findings["compiled"],
    )


def still_ran(seconds: float) -> str:
    """Why a script was ended for its time."""
    return f"still ran after {seconds:g} s"


def printed_more_than(size: int) -> str:
    """Why a script was ended for its output."""
    return f"printed more than {size >> 20} MiB and was ended"


def _findings(job: Job) -> dict[str, Any] | None:
    """What `errorkb.script` left; None where it left nothing, or the script spoiled it."""
    try:
        findings = json.loads(Path(job.result).read_bytes())
    except (OSError, ValueError):
        return None
    return findings if isinstance(findings, dict) and "output_bytes" in findings else None


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # a real-time signal
        return f"signal {number}"


def read_output(path: str, size: int | None = None) -> str:
    """The first `size` bytes of the output, its middle left out where it is long."""
    try:
        with Path(path).open("rb") as file:
            total = os.fstat(file.fileno()).st_size
            total = total if size is None else min(total, size)
            if total <= MAX_OUTPUT:
                return file.read(total).decode("utf-8", errors="replace")
            head = file.read(MAX_OUTPUT // 2)
            file.seek(total - MAX_OUTPUT // 2)
            tail = file.read(MAX_OUTPUT // 2)
    except OSError:  # not there, or not ours any more
        return ""
    left_out = f"\n... {total - MAX_OUTPUT} bytes left out ...\n"
    return (
        head.decode("utf-8", errors="replace") + left_out + tail.decode("utf-8", errors="replace")
    )
