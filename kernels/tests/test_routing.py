"""Picking the op that verifies a batch, and translating null slots."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from kda_kernels import (
    kda_verify,
    reference,
    routing,
    sample_fallback_inputs,
    sample_inputs,
    slots_from_null_block,
    uniform_mtp_batch,
)
from kda_kernels.errors import ContractError


@pytest.mark.parametrize(
    ("lengths", "uniform"),
    [([4, 4], True), ([1], True), ((2, 2, 2), True), ([2, 6], False), ([0, 0], False), ([], False)],
)
def test_uniform_batches(lengths: list[int], uniform: bool) -> None:
    assert uniform_mtp_batch(lengths) is uniform


def chosen(monkeypatch: pytest.MonkeyPatch, lengths: list[int], a: dict[str, Any]) -> str:
    """The op that `kda_verify` would call."""
    calls: list[str] = []
    for name in ("fused_kda_decode_mtp_dspark", "kda_decode_fallback"):
        monkeypatch.setattr(routing, name, lambda name=name, **_: calls.append(name))
    kda_verify(lengths, **a)
    assert len(calls) == 1
    return calls[0]


def test_equal_lengths_go_to_the_fused_op(
    device: torch.device, monkeypatch: pytest.MonkeyPatch
) -> None:
    a = sample_inputs(requests=2, tokens_per_request=2, heads=1, device=device)
    assert chosen(monkeypatch, [2, 2], a) == "fused_kda_decode_mtp_dspark"


@pytest.mark.parametrize("change", ["softplus", "bias", "int64 slots", "grouped heads"])
def test_what_the_fused_op_does_not_cover_goes_to_the_fallback(
    device: torch.device, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    a = sample_inputs(requests=2, tokens_per_request=2, heads=1, device=device)
    changes: dict[str, Any] = {
        "softplus": {"lower_bound": None},
        "bias": {"bias_q": a["dt_bias"].new_zeros(128)},
        "int64 slots": {"ssm_state_indices": a["ssm_state_indices"].long()},
        "grouped heads": {"x_v": a["x_v"].repeat(1, 1, 2, 1)},
    }
    assert chosen(monkeypatch, [2, 2], a | changes[change]) == "kda_decode_fallback"


@pytest.mark.parametrize("lengths", [[2, 1], [2, 2]], ids=["ragged", "uniform"])
def test_both_ways_compute_the_same_thing(device: torch.device, lengths: list[int]) -> None:
    a = sample_fallback_inputs(lengths=lengths, heads=1, device=device)
    expected = reference.kda_decode_fallback(**a).out
    out = kda_verify(lengths, **a)
    assert ((out.double() - expected).abs() <= 2**-8 * expected.abs() + 1e-5).all()


@pytest.mark.parametrize(
    ("lengths", "code"), [([2], "EKB8667"), ([1, 1], "EKB8667"), ([3, -1], "EKB6638")]
)
def test_lengths_that_do_not_fit_are_rejected(
    device: torch.device, lengths: list[int], code: str
) -> None:
    a = sample_fallback_inputs(lengths=[1, 2], heads=1, device=device)
    with pytest.raises(ContractError) as raised:
        kda_verify(lengths, **a)
    assert raised.value.code == code


def test_lengths_on_the_device_are_rejected(device: torch.device) -> None:
    with pytest.raises(ContractError) as raised:
        uniform_mtp_batch(torch.tensor([2, 2], device=device))  # type: ignore[arg-type]  # the fault
    assert raised.value.code == "EKB6500"


@pytest.mark.parametrize(
    ("null", "expected"), [(0, [-1, -1, 5, 1]), (-1, [-1, 0, 5, 1]), (1, [-1, -1, 5, -1])]
)
def test_null_slots_become_negative(null: int, expected: list[int]) -> None:
    slots = torch.tensor([-1, 0, 5, 1], dtype=torch.int32)
    translated = slots_from_null_block(slots, null)
    assert translated.dtype == torch.int32
    assert translated.tolist() == expected
    assert slots.tolist() == [-1, 0, 5, 1]
