"""Coded errors: what they print, and that they survive a process boundary."""

from __future__ import annotations

import pickle
import traceback

import pytest
from kda_kernels import BackendUnavailableError, CodedError, ContractError, DeviceContractError

NOTE = "For the cause and a tested fix: errorkb explain EKB0000"


@pytest.mark.parametrize("kind", [ContractError, DeviceContractError, BackendUnavailableError])
@pytest.mark.parametrize("got", [None, "x_q (1, 2)"])
def test_prints_message_what_came_and_the_record(kind: type[CodedError], got: str | None) -> None:
    error = kind("EKB0000", "expected a shape", got=got)
    printed = "".join(traceback.format_exception_only(error)).splitlines()
    assert printed == [
        f"kda_kernels.errors.{kind.__name__}: expected a shape",
        *([f"got {got}"] if got else []),
        NOTE,
    ]


def test_classes_are_caught_as_the_builtin_ones() -> None:
    assert issubclass(ContractError, ValueError)
    assert issubclass(DeviceContractError, ContractError)
    assert issubclass(BackendUnavailableError, RuntimeError)


def test_pickle_keeps_class_code_and_notes() -> None:
    error = DeviceContractError("EKB0000", "expected a shape", got="none")
    copy = pickle.loads(pickle.dumps(error))  # noqa: S301, our own bytes
    assert type(copy) is DeviceContractError
    assert (copy.code, str(copy), copy.__notes__) == (
        "EKB0000",
        "expected a shape",
        error.__notes__,
    )
