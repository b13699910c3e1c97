"""Wrappers and other software, recognised by what they print."""

from __future__ import annotations

import pytest

from errorkb.advice import foreign, is_wrapper, needs_more
from errorkb.traceback import parse


@pytest.mark.parametrize(
    "text",
    [
        "RuntimeError: WorkerProc initialization failed due to an exception.",
        "torch.multiprocessing.spawn.ProcessExitedException: process 0 terminated with exit code 1",
        "RuntimeError: DataLoader worker unexpectedly exits",
        "RuntimeError: Connection closed by peer [10.0.0.1]:3",
        "Segmentation fault (core dumped)",
        "Aborted",
    ],
)
def test_a_wrapper_alone_needs_more(text: str) -> None:
    assert needs_more(parse(text)) is not None


@pytest.mark.parametrize(
    "text",
    [
        "ValueError: no slot",
        "ValueError: no slot\nRuntimeError: Engine core initialization failed.",
        "the worker was killed by a colleague",
        "nothing at all",
    ],
)
def test_what_may_hold_the_cause_does_not(text: str) -> None:
    assert needs_more(parse(text)) is None


def test_the_signal_says_more_than_the_summary() -> None:
    text = (
        "failed (exitcode: -9) local_rank: 5 (pid: 2630)\n"
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \n"
    )
    assert "SIGKILL" in str(needs_more(parse(text)))


def test_an_exception_that_says_something_is_no_wrapper() -> None:
    group, member = parse(
        "  | ExceptionGroup: all failed (1 sub-exception)\n"
        "  +-+---------------- 1 ----------------\n"
        "    | ValueError: no slot\n"
    ).exceptions
    assert is_wrapper(group)
    assert not is_wrapper(member)


@pytest.mark.parametrize(
    ("text", "whose"),
    [
        ("/opt/tritonserver/backends/x", "NVIDIA's Triton inference server"),
        ("jaxlib.xla_extension.XlaRuntimeError", "JAX"),
        ("/site-packages/triton/runtime/jit.py", None),
        ("torch.AcceleratorError", None),
    ],
)
def test_foreign(text: str, whose: str | None) -> None:
    assert foreign(text) == whose


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("RuntimeError", "what stands behind its class"),
        ("torch.AcceleratorError:", "what stands behind its class"),
        ('  File "/app/t.py", line 8, in step\n    f()\n', "down to 'SomeError"),
        ("frame #0: c10::Error::Error(std::string) + 0x96 (0x7f in libc10.so)", "what():"),
        ("#0  0x00007f in cuLaunchKernel () from /usr/lib/libcuda.so.1", "what():"),
        (
            '  File "/usr/lib/python3.11/multiprocessing/connection.py", line 383, in _recv\n'
            "    raise EOFError\nEOFError\n",
            "other end of a pipe",
        ),
    ],
)
def test_frames_or_a_class_alone_need_the_error(text: str, names: str) -> None:
    assert names in str(needs_more(parse(text)))


@pytest.mark.parametrize(
    "text",
    [
        "EOFError: marker of the file is missing",
        '  File "/v/multiprocessing/connection.py", line 3, in _recv\nValueError: bad message\n',
        "CompilationError: the kernel has no body",
        "#1 fix the launch",
    ],
)
def test_what_only_looks_like_it_is_taken_for_what_it_says(text: str) -> None:
    assert needs_more(parse(text)) is None


@pytest.mark.parametrize("text", ["AssertionError", "KeyboardInterrupt", "MemoryError"])
def test_a_class_that_has_no_message_as_a_rule_needs_none(text: str) -> None:
    assert needs_more(parse(text)) is None
