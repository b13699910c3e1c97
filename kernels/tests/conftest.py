"""Kernels run on a GPU where there is one, else in Triton's interpreter."""

from __future__ import annotations

import os

import pytest
import torch

GPU = torch.cuda.is_available()

if not GPU:
    # Read by triton when the kernels are defined, so it must be set before they are imported.
    os.environ["TRITON_INTERPRET"] = "1"


@pytest.fixture
def device() -> torch.device:
    """Where the tensors of a test lie."""
    return torch.device("cuda" if GPU else "cpu")


@pytest.fixture(autouse=True)
def _seed() -> None:
    torch.manual_seed(0)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what needs a GPU where there is none."""
    if GPU:
        return
    skip = pytest.mark.skip(reason="needs a GPU")
    for item in items:
        if item.get_closest_marker("gpu"):
            item.add_marker(skip)


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker of the tests that no interpreter can run."""
    config.addinivalue_line("markers", "gpu: needs a GPU")
