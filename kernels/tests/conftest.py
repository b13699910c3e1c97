"""Kernels run on a GPU where there is one, else in Triton's interpreter; `--device` decides too."""

from __future__ import annotations

import os

import pytest
import torch

pytest.register_assert_rewrite("verify_checks")

_PLACE = pytest.StashKey[torch.device]()


def pytest_configure(config: pytest.Config) -> None:
    """Choose the place before any test module imports a kernel."""
    config.addinivalue_line("markers", "gpu: needs a GPU")
    # A sigmoid far below 0 goes through exp(large) = inf, whose reciprocal is the exact limit.
    config.addinivalue_line("filterwarnings", "ignore:overflow encountered in exp")
    wanted = config.getoption("--device")
    if wanted == "gpu" and not torch.cuda.is_available():
        raise pytest.UsageError("--device gpu needs a GPU, and torch sees none here")
    gpu = torch.cuda.is_available() and wanted in (None, "gpu")
    if not gpu:
        # Read by triton when the kernels are defined, so it must be set before they are imported.
        os.environ["TRITON_INTERPRET"] = "1"
    config.stash[_PLACE] = torch.device("cuda" if gpu else "cpu")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip what needs a GPU where the kernels are interpreted."""
    if config.stash[_PLACE].type == "cuda":
        return
    skip = pytest.mark.skip(reason="needs a GPU")
    for item in items:
        if item.get_closest_marker("gpu"):
            item.add_marker(skip)


@pytest.fixture(scope="session")
def device(pytestconfig: pytest.Config) -> torch.device:
    """Where the tensors of a test lie."""
    return pytestconfig.stash[_PLACE]


@pytest.fixture(autouse=True)
def _seed() -> None:
    torch.manual_seed(0)
