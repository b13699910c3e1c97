"""The output norm against its float64 reference."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from kda_kernels import onorm, reference_conv
from kda_kernels.errors import ContractError

T, H = 3, 2


def arguments(device: torch.device, dim: int = 128) -> dict[str, Any]:
    """A valid call whose output holds NaN."""
    shape = (1, T, H, dim)
    return {
        "raw": torch.randn(shape).to(device, torch.bfloat16),
        "gate": torch.randn(shape).to(device, torch.bfloat16),
        "weight": torch.randn(dim).to(device),
        "out": torch.full(shape, float("nan"), device=device, dtype=torch.bfloat16),
        "eps": 1e-5,
    }


def assert_matches(a: dict[str, Any]) -> None:
    """To one rounding of the output."""
    inputs = {name: a[name] for name in ("raw", "gate", "weight", "eps")}
    expected = reference_conv.kda_onorm_apply(**inputs)
    out = onorm.kda_onorm_apply(**a)
    assert out is a["out"]
    assert ((out.double() - expected).abs() <= 2**-8 * expected.abs() + 1e-6).all()


@pytest.mark.parametrize("dim", [64, 128, 256])
def test_every_width(device: torch.device, dim: int) -> None:
    assert_matches(arguments(device, dim))


def test_gate_is_a_sigmoid_and_not_silu(device: torch.device) -> None:
    a = arguments(device)
    a["gate"] = torch.zeros_like(a["gate"])
    onorm.kda_onorm_apply(**a)
    assert a["out"].abs().max() > 0


def test_in_place(device: torch.device) -> None:
    a = arguments(device)
    assert_matches(a | {"out": a["raw"].clone()})
    expected = onorm.kda_onorm_apply(**a).clone()
    onorm.kda_onorm_apply(**a | {"out": a["raw"]})
    assert torch.equal(a["raw"], expected)


def test_column_slices(device: torch.device) -> None:
    """Two calls of one size and other strides: nothing of the first may be reused."""
    a = arguments(device)
    assert_matches(a)
    wide = torch.randn(1, T, H, 300, device=device).bfloat16()
    a |= {"raw": wide[..., :128], "gate": wide[..., 128:256]}
    assert_matches(a)


def test_rows_of_zeros_and_of_nan(device: torch.device) -> None:
    a = arguments(device)
    a["raw"][0, 0] = 0.0
    a["raw"][0, 1] = float("nan")
    onorm.kda_onorm_apply(**a)
    assert torch.equal(a["out"][0, 0], torch.zeros_like(a["out"][0, 0]))
    assert a["out"][0, 1].isnan().all()
    assert a["out"][0, 2].isfinite().all()


FAULTS: dict[str, tuple[str, Callable[[dict[str, Any]], Any]]] = {
    "no batch": ("EKB3469", lambda a: a.update(raw=a["raw"][0])),
    "flat gate": ("EKB3248", lambda a: a.update(gate=a["gate"].flatten(2))),
    "weight per head": ("EKB3248", lambda a: a.update(weight=a["weight"].expand(H, 128))),
    "fp32 raw": ("EKB1749", lambda a: a.update(raw=a["raw"].float())),
    "bf16 weight": ("EKB3178", lambda a: a.update(weight=a["weight"].bfloat16())),
    "eps 0": ("EKB1289", lambda a: a.update(eps=0.0)),
    "weight elsewhere": ("EKB0597", lambda a: a.update(weight=a["weight"].to("meta"))),
    "strided rows": ("EKB6018", lambda a: a.update(raw=a["raw"].repeat(1, 1, 1, 2)[..., ::2])),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_rejects(device: torch.device, fault: str) -> None:
    code, spoil = FAULTS[fault]
    a = arguments(device)
    spoil(a)
    with pytest.raises(ContractError) as raised:
        onorm.kda_onorm_apply(**a)
    assert raised.value.code == code
    assert a["out"].isnan().all()
