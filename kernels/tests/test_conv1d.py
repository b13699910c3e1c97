"""The convolution's update step against its float64 reference."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from kda_kernels import conv1d, reference_conv
from kda_kernels.errors import ContractError
from torch import Tensor

B, C, P = 3, 300, 5
"""C is no multiple of the block of channels, so the last block is masked."""
NAN = float("nan")


def arguments(device: torch.device, tokens: int | None = None) -> dict[str, Any]:
    """A valid call: windows as a transposed view, one padded request."""
    shape = (B, C) if tokens is None else (B, C, tokens)
    return {
        "x": torch.randn(shape).to(device, torch.bfloat16),
        "conv_state": torch.randn(P, 3, C).to(device, torch.bfloat16).transpose(1, 2),
        "weight": torch.randn(C, 4).to(device),
        "bias": torch.randn(C).to(device),
        "activation": "silu",
        "conv_state_indices": torch.tensor([4, -1, 0], dtype=torch.int32, device=device),
    }


def assert_matches(a: dict[str, Any]) -> Tensor:
    """Output to one rounding of its dtype, windows exactly, also those of nobody."""
    expected, windows = reference_conv.causal_conv1d_update(**a)
    out = conv1d.causal_conv1d_update(**a)
    assert out.dtype == a["x"].dtype
    rounding = 1e-6 if out.dtype == torch.float32 else 2**-8
    bound = rounding * expected.abs() + 1e-6 * expected.abs().max()
    assert ((out.double() - expected).abs() <= bound).all()
    assert torch.equal(a["conv_state"].double(), windows)
    return out


@pytest.mark.parametrize("tokens", [None, 1, 2, 5], ids=str)
def test_windows_shift_by_every_number_of_tokens(device: torch.device, tokens: int | None) -> None:
    out = assert_matches(arguments(device, tokens))
    assert torch.equal(out[1], torch.zeros_like(out[1]))


def test_without_bias_activation_and_indices(device: torch.device) -> None:
    names = ("bias", "activation", "conv_state_indices")
    assert_matches(arguments(device) | dict.fromkeys(names))


def test_fp32_and_contiguous_windows(device: torch.device) -> None:
    a = arguments(device, 2)
    a |= {"x": a["x"].float(), "conv_state": a["conv_state"].float().contiguous()}
    assert_matches(a)


def test_strided_inputs_and_indices(device: torch.device) -> None:
    a = arguments(device, 2)
    a["x"] = a["x"].transpose(1, 2).contiguous().transpose(1, 2)
    table = torch.full((B, 3), 2, dtype=torch.int64, device=device)
    table[:, 1] = a["conv_state_indices"]
    a["conv_state_indices"] = table[:, 1]
    assert_matches(a)


def test_slots_past_the_pool_are_padding(device: torch.device) -> None:
    a = arguments(device)
    a["conv_state_indices"] = torch.tensor([P, 1, P + 7], device=device)
    assert_matches(a)


def test_no_nan_leaks_between_requests(device: torch.device) -> None:
    a = arguments(device)
    expected, _ = reference_conv.causal_conv1d_update(**a)
    a["x"][0] = NAN
    a["conv_state"][[1, 2, 3, 4]] = NAN
    out = conv1d.causal_conv1d_update(**a)
    assert ((out[2].double() - expected[2]).abs() <= 2**-8 * expected[2].abs() + 1e-5).all()
    assert a["conv_state"][0].isfinite().all()


FAULTS: dict[str, tuple[str, Callable[[dict[str, Any]], Any]]] = {
    "flat batch": ("EKB4107", lambda a: a.update(x=a["x"].flatten())),
    "width 3": ("EKB2560", lambda a: a.update(weight=a["weight"][:, :3].contiguous())),
    "Conv1d's own weight": ("EKB2560", lambda a: a.update(weight=a["weight"][:, None])),
    "channels last": ("EKB3967", lambda a: a.update(conv_state=a["conv_state"].mT)),
    "another bias": ("EKB5756", lambda a: a.update(bias=a["bias"][1:])),
    "gelu": ("EKB1728", lambda a: a.update(activation="gelu")),
    "fp32 windows": ("EKB9290", lambda a: a.update(conv_state=a["conv_state"].float())),
    "too few slots": (
        "EKB4996",
        lambda a: a.update(conv_state_indices=None, conv_state=a["conv_state"][:2]),
    ),
    "integer weight": ("EKB2173", lambda a: a.update(weight=a["weight"].int())),
    "stacked taps": ("EKB1682", lambda a: a.update(weight=a["weight"].mT.contiguous().mT)),
    "index per token": (
        "EKB5220",
        lambda a: a.update(conv_state_indices=a["conv_state_indices"][:2]),
    ),
    "elsewhere": ("EKB0597", lambda a: a.update(bias=a["bias"].to("meta"))),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_rejects(device: torch.device, fault: str) -> None:
    code, spoil = FAULTS[fault]
    a = arguments(device)
    windows = a["conv_state"]
    before = windows.clone()
    spoil(a)
    with pytest.raises(ContractError) as raised:
        conv1d.causal_conv1d_update(**a)
    assert raised.value.code == code
    assert torch.equal(windows, before)
