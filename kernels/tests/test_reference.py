"""The float64 reference against independent float64 reference vectors."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from kda_kernels import reference

VECTORS = torch.load(Path(__file__).parent / "data" / "vectors.pt", weights_only=True)
FIELDS = {
    "out": "out",
    "states": "states",
    "window_q": "windows_q",
    "window_k": "windows_k",
    "window_v": "windows_v",
    "ring_rawv": "ring_rawv",
    "ring_rawk": "ring_rawk",
    "ring_g": "ring_g",
    "ring_beta": "ring_beta",
}


@pytest.mark.parametrize("case", sorted(VECTORS))
@pytest.mark.parametrize("field", sorted(FIELDS))
def test_equals_independent_vectors(case: str, field: str) -> None:
    vector = VECTORS[case]
    result = reference.fused_kda_decode_mtp_dspark(
        **vector["inputs"], round_conv=vector["round_conv"]
    )
    expected = vector["expected"][field].double()
    error = (getattr(result, FIELDS[field]) - expected).abs().max()
    assert error <= 1e-6 * expected.abs().max()
