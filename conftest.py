"""The option that says where kernels run; tests and examples read it."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--device`."""
    parser.addoption(
        "--device",
        choices=["gpu", "interpreter", "compile", "cpu"],
        default=None,
        help="where kernels run; by default a GPU where there is one, else Triton's interpreter",
    )
