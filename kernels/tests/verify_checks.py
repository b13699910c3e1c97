"""What every call of the verify op must leave behind, by its float64 reference."""

from __future__ import annotations

from typing import Any

import torch
from kda_kernels import fused_kda_decode_mtp_dspark, reference
from kda_kernels.reference import VerifyResult
from torch import Tensor

Inputs = dict[str, Any]
ROUNDING = 2.0**-8
"""Half a unit in the last place of bf16, relative."""

MODES = {
    "snapshots": {},
    "snapshots-norm": {"output_norm": True},
    "rings": {"rings": True},
    "rings-norm": {"rings": True, "output_norm": True},
}


def changed(inputs: Inputs, **values: list[int]) -> Inputs:
    """Copies of the arguments, some index tensors with other values."""
    copies = {n: v.clone() if isinstance(v, Tensor) else v for n, v in inputs.items()}
    for name, value in values.items():
        copies[name] = inputs[name].new_tensor(value)
    return copies


def assert_close(actual: Tensor, expected: Tensor, tolerance: float = 1e-5) -> None:
    """Equal within `tolerance` of the largest expected value, and NaN nowhere."""
    error = (actual.double() - expected.double()).abs().max().item()
    assert error <= tolerance * expected.abs().max().item(), error


def assert_rounded(actual: Tensor, expected: Tensor, slack: float) -> None:
    """Equal within one bf16 rounding of each element and `slack` of the largest."""
    excess = (actual.double() - expected).abs() - ROUNDING * expected.abs()
    assert excess.max().item() <= slack * expected.abs().max().item(), excess.max()


def assert_matches(inputs: Inputs, out: Tensor, expected: VerifyResult) -> None:
    """Everything that one call wrote for its live requests."""
    # Where a convolution lies on the edge between two bf16 values, fp32 and float64 round apart.
    rounds = inputs.get("round_conv", "replayssm_g" in inputs)
    slack = 2e-3 if rounds else 1e-5
    assert_rounded(out, expected.out, slack)
    T1 = expected.states.shape[1]
    for n, slot in enumerate(inputs["ssm_state_indices"].tolist()):
        if slot < 0:
            continue
        length = min(int(inputs["cu_seqlens"][n + 1] - inputs["cu_seqlens"][n]), T1)
        row = int(inputs["intermediate_state_indices"][n])
        for stream in "qkv":
            windows = inputs[f"intermediate_conv_{stream}"][row, :length]
            assert torch.equal(windows.double(), getattr(expected, f"windows_{stream}")[n, :length])
        if length == 0:
            continue
        if "replayssm_g" not in inputs:
            states = inputs["intermediate_ssm"][row, :length]
            assert_close(states, expected.states[n, :length], slack)
            continue
        for name in ("rawv", "rawk"):
            entry = inputs[f"replayssm_{name}"][slot, :, :length]
            assert_rounded(entry, getattr(expected, f"ring_{name}")[n, :, :length], slack)
        for name in ("g", "beta"):
            entry = inputs[f"replayssm_{name}"][slot, :, :length]
            assert_close(entry, getattr(expected, f"ring_{name}")[n, :, :length])


def run_and_check(inputs: Inputs) -> Tensor:
    """Call the kernel and compare everything with the reference."""
    expected = reference.fused_kda_decode_mtp_dspark(**inputs)
    out = fused_kda_decode_mtp_dspark(**inputs)
    assert_matches(inputs, out, expected)
    return out
