"""The option that says where kernels run; tests and examples read it."""

from __future__ import annotations

import contextlib

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--device`."""
    # Where pytest-playwright is installed, its option of this name takes our words as well.
    with contextlib.suppress(ValueError):
        parser.addoption(
            "--device",
            metavar="gpu|interpreter|compile|cpu",
            default=None,
            help="where kernels run; by default a GPU where there is one, else the interpreter",
        )
