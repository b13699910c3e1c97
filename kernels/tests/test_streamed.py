"""The streamed verify where its algebra is at its limits: it divides by decays, and the tokens of a
request meet in one matrix."""

from __future__ import annotations

import pytest
import torch
from kda_kernels import sample_inputs, streamed
from kda_kernels.launch import STREAMED_DECAY_LIMIT, Prologue
from verify_checks import MODES, changed, run_and_check


@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("T1", [1, 3, 5, 8, 9, 16])
def test_strongest_decay_that_is_streamed(
    device: torch.device, monkeypatch: pytest.MonkeyPatch, T1: int, groups: int
) -> None:
    """Every token decays by the bound, and fp32 divides by the product of all."""
    monkeypatch.setattr(streamed, "prologue", lambda *_: Prologue(groups, 168))
    inputs = sample_inputs(tokens_per_request=T1, heads=1, device=device, **MODES["rings-norm"])
    inputs["lower_bound"] = -STREAMED_DECAY_LIMIT / T1
    inputs["A_log"].zero_()
    inputs["dt_bias"].fill_(100.0)
    run_and_check(inputs)


@pytest.mark.parametrize(
    ("T1", "offsets"),
    [(6, [0, 1, 7]), (9, [0, 2, 11]), (13, [0, 13, 13]), (16, [0, 9, 16])],
    ids=str,
)
def test_short_requests_among_long_ones(device: torch.device, T1: int, offsets: list[int]) -> None:
    inputs = sample_inputs(
        requests=2, tokens_per_request=T1, heads=1, device=device, **MODES["rings-norm"]
    )
    run_and_check(changed(inputs, cu_seqlens=offsets))


@pytest.mark.filterwarnings("ignore:overflow encountered", "ignore:invalid value encountered")
@pytest.mark.parametrize("T1", [4, 7])
def test_missing_tokens_stay_out_of_the_others(device: torch.device, T1: int) -> None:
    """Past the last token the convolution of finite inputs can be infinite."""
    inputs = sample_inputs(tokens_per_request=T1, heads=1, device=device, **MODES["rings"])
    inputs["x_q"][0, 1] = inputs["x_k"][0, 1] = 3e38
    for name in ("w_q", "w_k"):
        inputs[name].copy_(torch.tensor([0.0, 0.0, 2.0, 1e-30]))
    run_and_check(changed(inputs, cu_seqlens=[0, 2, 2 + T1]))


@pytest.mark.parametrize("T1", [4, 7])
@pytest.mark.parametrize("size", [1e-20, 1e25])
def test_states_of_any_size(device: torch.device, T1: int, size: float) -> None:
    inputs = sample_inputs(tokens_per_request=T1, heads=1, device=device, **MODES["rings"])
    inputs["recurrent_state"].mul_(size)
    inputs["lower_bound"] = -0.01
    run_and_check(inputs)
