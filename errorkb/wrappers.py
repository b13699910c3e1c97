"""What launchers, pools and engines print about a process that failed, which is never its error."""

from __future__ import annotations

_OWN = (
    "look for the worker's own traceback: the first 'Traceback' above this one whose lines carry "
    "another process's prefix, or the log file of that process"
)
_RANK = (
    "paste the failing rank's own traceback or last lines: they stand above the summary, or in "
    "that rank's file under `torchrun --log-dir DIR --tee 3`; with "
    "`torch.distributed.elastic.multiprocessing.errors.record` around main, the summary holds them"
)
_OUTPUT = "paste what it printed itself: its own traceback stands above this one"
_POOL = (
    "run the same with no workers (num_workers=0, or one process), where it prints its own error"
)
_KILLED = (
    "it was killed from outside, by the kernel's out-of-memory killer as a rule: "
    "`dmesg -T | grep -i 'killed process'` names it"
)
_CRASHED = "run that process alone with `python -X faulthandler` to see where"
_NATIVE = (
    "the first 'File …' line below is the call that crashed, and `gdb --args python …` shows the "
    "native frames"
)
_ABORTED = "look above for what it printed last: 'terminate called', 'LLVM ERROR' or an assertion"
_ENDED = "it was told to end because another process failed first: look for the earliest traceback"
_BUS = "as a rule /dev/shm is full: `df -h /dev/shm` shows it"
_RAY = (
    "look in /tmp/ray/session_latest/logs on that node for the worker's file, and in "
    "`dmesg -T` for 'Killed process'"
)
_PEER = "look in the other ranks' logs for the earliest traceback"

_SIGNALS = (
    ("SIGKILL", 9, _KILLED),
    ("SIGSEGV", 11, _CRASHED),
    ("SIGABRT", 6, _ABORTED),
    ("SIGBUS", 7, _BUS),
    ("SIGTERM", 15, _ENDED),
)


def _marks(name: str, number: int) -> tuple[str, ...]:
    """How programs write that a signal ended a process."""
    return (
        f"exitcode: -{number}",
        f"exitcode  : -{number}",
        f"exit code -{number}",
        f"exit code: -{number}",
        f"exit code {128 + number}",
        f"exit code: {128 + number}",
        f"return code = -{number}",
        f"exited on signal {number}",
        f"signal {number} ({name})",
        f"signal {name}",
        f"signals.{name}",
        f"{name}(-{number})",
    )


_MARKS = tuple(
    (_marks(name.lower(), number), f"a process got {name}; {look}")
    for name, number, look in _SIGNALS
)
_BESIDE_SIGNALS = ("exit", "sig", "return code")
"""One of these stands in every mark of a signal; most lines have none and need no more looks."""

_WRAPPERS = (
    # (what the text holds, in lower case; what it means; what to look for)
    ("oom_kill", "a process got SIGKILL", _KILLED),
    ("oomkilled", "a process got SIGKILL", _KILLED),
    ("is killed by signal: killed", "a DataLoader worker got SIGKILL", _KILLED),
    ("is killed by signal: segmentation fault", "a DataLoader worker got SIGSEGV", _CRASHED),
    ("is killed by signal: bus error", "a DataLoader worker got SIGBUS", _BUS),
    ("dataloader worker (pid", "a DataLoader worker died", _POOL),
    ("childfailederror", "the launcher reports that a rank failed, not why", _RANK),
    ("to enable traceback see", "the launcher reports that a rank failed, not why", _RANK),
    ("root cause (first observed failure)", "this is the launcher's summary of a rank", _RANK),
    ("exits with return code", "the launcher reports that a rank failed, not why", _RANK),
    ("mpirun noticed that process", "the launcher reports that a rank failed, not why", _OUTPUT),
    ("mpi_abort was invoked", "the launcher reports that a rank failed, not why", _OUTPUT),
    ("srun: error: ", "the launcher reports that a task failed, not why", _OUTPUT),
    ("returned non-zero exit status", "a command failed, and this repeats only that", _OUTPUT),
    ("engine core initialization failed", "the engine process failed first", _OWN),
    ("engine core proc", "the engine process failed first", _OWN),
    ("engine process failed to start", "the engine process failed first", _OWN),
    ("enginedeaderror", "the engine process failed first", _OWN),
    ("enginecore encountered an issue", "the engine process failed first", _OWN),
    ("background loop has errored already", "the engine failed first", _OWN),
    ("workerproc initialization failed", "a worker failed first", _OWN),
    ("workerproc hit an exception", "a worker failed first", _OWN),
    ("got fatal signal from worker processes", "a worker failed first", _OWN),
    ("scheduler hit an exception", "the scheduler process failed first", _OWN),
    ("scheduler is dead", "the scheduler process failed first", _OWN),
    ("received sigquit from a child process", "a child process failed first", _OWN),
    ("shardcannotstart", "a shard's process failed first", _OWN),
    ("a worker died or was killed", "this line is Ray's, not that of the worker that died", _RAY),
    ("actordiederror", "a Ray actor's process died", _RAY),
    ("actorunavailableerror", "a Ray actor's process died", _RAY),
    ("rayactorerror", "a Ray actor's process died", _RAY),
    ("workercrashederror", "a Ray worker's process died", _RAY),
    ("raytaskerror", "a Ray task failed first", _OWN),
    ("worker unexpectedly exits", "a worker process died", _KILLED),
    ("workerdied", "a worker process died", _OWN),
    ("worker died", "a worker process died", _OWN),
    ("worker process died", "a worker process died", _OWN),
    ("worker exited unexpectedly", "a worker process died", _OWN),
    ("gloo/transport", "the other end of a connection went away: another rank failed first", _PEER),
    (
        "connection closed by peer",
        "the other end of a connection went away: another rank failed first",
        _PEER,
    ),
    (
        "connection reset by peer",
        "the other end of a connection went away: another process failed first",
        _PEER,
    ),
    ("processraisedexception", "a spawned process failed first", _OWN),
    ("processexitedexception", "a spawned process died", _OWN),
    ("terminated with exit code", "a spawned process died", _OWN),
    ("brokenprocesspool", "a process of the pool died", _KILLED),
    ("terminatedworkererror", "a process of the pool died", _KILLED),
    ("root cause above", "the cause was printed earlier", _OWN),
    ("stack trace above for root cause", "the cause was printed earlier", _OWN),
    ("stack trace (above) for the root cause", "the cause was printed earlier", _OWN),
    ("stack trace for root cause", "the cause was printed earlier", _OWN),
    ("fatal python error: segmentation fault", "the process crashed in native code", _NATIVE),
    ("fatal python error: aborted", "the process aborted", _ABORTED),
)
_ALONE = {
    "killed": ("the process got SIGKILL", _KILLED),
    "segmentation fault": ("the process crashed in native code", _CRASHED),
    "segmentation fault (core dumped)": ("the process crashed in native code", _CRASHED),
    "bus error (core dumped)": ("the process got SIGBUS", _BUS),
    "aborted": ("the process aborted", _ABORTED),
    "aborted (core dumped)": ("the process aborted", _ABORTED),
}


def wrapped(text: str) -> list[str]:
    """What a text says of a process that failed, and what to look for; empty where it does not."""
    lowered = text.lower()
    said: list[str] = []
    if any(word in lowered for word in _BESIDE_SIGNALS):
        said += [says for marks, says in _MARKS if any(_holds(lowered, mark) for mark in marks)]
    for mark, meaning, look in _WRAPPERS:
        if mark in lowered:
            return [*said, f"{meaning}; {look}"]
    return said


def alone(line: str) -> list[str]:
    """The same of a line that a shell prints and that is nothing else."""
    said = _ALONE.get(line.strip().rstrip(".").lower())
    return [] if said is None else [f"{said[0]}; {said[1]}"]


def summed_up(said: list[str]) -> str:
    """One sentence of several: the signal that ended a process, then what else to look for."""
    signal = next((each for each in said if " got SIG" in each and "SIGTERM" not in each), None)
    other = next((each for each in said if " got SIG" not in each), None)
    if signal is None or other is None:
        return signal or other or said[0]
    return f"{signal}; then {other.partition('; ')[2]}"


def _holds(text: str, mark: str) -> bool:
    """Whether a mark stands in a text and its number or word does not go on."""
    at = text.find(mark)
    while at >= 0:
        if not text[at + len(mark) : at + len(mark) + 1].isalnum():
            return True
        at = text.find(mark, at + 1)
    return False
