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
