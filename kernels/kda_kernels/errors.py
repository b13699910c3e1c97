"""Every error that this package raises carries the code of its record.

    CodedError                      mixin: `.code`, and a note that names `errorkb explain CODE`
    ├── ContractError               (ValueError) an argument breaks an operation's contract
    │   └── DeviceContractError     the same, seen only by reading device memory
    └── BackendUnavailableError     (RuntimeError) nothing here can run the kernel

A raise site passes its code as a literal and its message as an f-string whose placeholders are
plain names; `errorkb check` compares both with the record.
"""

from __future__ import annotations


class CodedError(Exception):
    """An error with a record.

    Args:
        code: the record's code, e.g. `EKB1234`.
        message: what was expected and, unless `got` says it, what came.
        got: what came, for messages whose text is shared with upstream and does not say it.
    """

    def __init__(self, code: str, message: str, *, got: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        if got is not None:
            self.add_note(f"got {got}")
        self.add_note(f"For the cause and a tested fix: errorkb explain {code}")

    def __reduce__(self) -> tuple[object, ...]:
        # Pickled by multiprocessing: the default would call __init__ with the message alone.
        return (_rebuild, (type(self), self.code, str(self), list(self.__notes__)))


class ContractError(CodedError, ValueError):
    """An argument breaks the contract of the operation; nothing was launched or written."""


class DeviceContractError(ContractError):
    """Values in device memory break the contract; only `validate="device"` reads them."""


class BackendUnavailableError(CodedError, RuntimeError):
    """The tensors are where no kernel can run."""


def _rebuild(cls: type[CodedError], code: str, message: str, notes: list[str]) -> CodedError:
    error = cls.__new__(cls)
    Exception.__init__(error, message)
    error.code = code
    for note in notes:
        error.add_note(note)
    return error
