"""What launchers, pools and engines say of a process that failed, and the signals in it."""

from __future__ import annotations

import pytest

from errorkb.advice import needs_more
from errorkb.traceback import parse
from errorkb.wrappers import alone, wrapped

SUMMARY = """\
torch.distributed.elastic.multiprocessing.errors.ChildFailedError:
Root Cause (first observed failure):
[0]:
  rank      : 2 (local_rank: 2)
  exitcode  : {code} (pid: 4444)
  error_file: <N/A>
  traceback : {said}
"""


@pytest.mark.parametrize(
    ("text", "signal"),
    [
        ("failed (exitcode: -9) local_rank: 5", "SIGKILL"),
        ("  exitcode  : -11 (pid: 4444)", "SIGSEGV"),
        ("traceback : Signal 9 (SIGKILL) received by PID 4444", "SIGKILL"),
        ("process 0 terminated with signal SIGABRT", "SIGABRT"),
        ("Command '['python']' died with <Signals.SIGKILL: 9>.", "SIGKILL"),
        ("exits with return code = -9", "SIGKILL"),
        ("failed (exitcode: -6) local_rank: 5", "SIGABRT"),
        ("the container ended with exit code: 143", "SIGTERM"),
        ("The exit codes of the workers are {SIGBUS(-7)}", "SIGBUS"),
        ("rank 0 with PID 3 on node a exited on signal 11 (Segmentation fault).", "SIGSEGV"),
        ("Terminating process 44 via signal SIGTERM", "SIGTERM"),
        ("the container ended with exit code 137", "SIGKILL"),
        ("DataLoader worker (pid 7) is killed by signal: Killed.", "SIGKILL"),
        ("Detected 1 oom_kill event in StepId=1", "SIGKILL"),
    ],
)
def test_the_signal_is_named(text: str, signal: str) -> None:
    assert f" got {signal};" in str(wrapped(text))


@pytest.mark.parametrize("text", ["exitcode: -91", "exit code 1370", "signal sigtermite", "-9"])
def test_another_number_is_no_signal(text: str) -> None:
    assert " got SIG" not in str(wrapped(text))


@pytest.mark.parametrize(
    "text",
    [
        "RuntimeError: DataLoader worker (pid(s) 123, 124) exited unexpectedly",
        "vllm.v1.engine.exceptions.EngineDeadError: EngineCore encountered an issue.",
        "RuntimeError: Engine core initialization failed. See root cause above.",
        "ray.exceptions.WorkerCrashedError: The worker died unexpectedly.",
        "subprocess.CalledProcessError: Command '['python']' returned non-zero exit status 1.",
        "process 3 terminated with exit code 1",
        "MultiprocessingError: Worker process died",
        "srun: error: node1: task 3: Exited with exit code 1",
        "Fatal Python error: Segmentation fault",
    ],
)
def test_what_only_reports_a_failure(text: str) -> None:
    assert needs_more(parse(text)) is not None


def test_a_summary_with_a_signal_says_both() -> None:
    said = str(needs_more(parse(SUMMARY.format(code=-9, said="Signal 9 (SIGKILL) received"))))
    assert "got SIGKILL" in said
    assert "dmesg" in said
    assert "the failing rank's own traceback" in said


def test_a_signal_alone_is_enough() -> None:
    said = str(needs_more(parse("the container ended with exit code 139")))
    assert "a process got SIGSEGV; run that process alone" in said


def test_a_summary_without_one_asks_for_the_rank() -> None:
    said = str(needs_more(parse(SUMMARY.format(code=1, said="To enable traceback see: …"))))
    assert "got SIG" not in said
    assert "the failing rank's own traceback" in said


def test_a_summary_that_holds_the_traceback_needs_nothing() -> None:
    text = SUMMARY.format(code=1, said="Traceback (most recent call last):")
    frames = '    File "/app/t.py", line 8, in main\n      run()\n'
    assert needs_more(parse(f"{text}{frames}  ValueError: no slot is left\n")) is None


def test_a_shells_last_word() -> None:
    assert "SIGBUS" in str(alone("Bus error (core dumped)"))
    assert alone("killed the cat") == []
