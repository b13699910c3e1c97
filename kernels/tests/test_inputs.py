"""What `sample_inputs` promises."""

from __future__ import annotations

import pytest
import torch
from kda_kernels import fused_kda_decode_mtp_dspark, sample_inputs

SIZES = {"requests": 3, "tokens_per_request": 2, "heads": 1}


@pytest.mark.parametrize("rings", [False, True])
@pytest.mark.parametrize("output_norm", [False, True])
def test_is_valid_on_the_device_too(device: torch.device, rings: bool, output_norm: bool) -> None:
    inputs = sample_inputs(**SIZES, rings=rings, output_norm=output_norm, device=device)
    out = fused_kda_decode_mtp_dspark(**inputs, validate="device")
    assert out.shape == (1, 6, 1, 128)
    assert ("replayssm_g" in inputs, "onorm_gate" in inputs) == (rings, output_norm)


def test_what_the_op_writes_is_poisoned(device: torch.device) -> None:
    inputs = sample_inputs(**SIZES, rings=True, device=device)
    written = [name for name in inputs if name.startswith(("intermediate_conv", "replayssm"))]
    assert len(written) == 7
    assert all(inputs[name].isnan().all() for name in written)
    assert sample_inputs(**SIZES, device=device)["intermediate_ssm"].isnan().all()


def test_layouts_are_those_of_a_server(device: torch.device) -> None:
    inputs = sample_inputs(**SIZES, pool_slots=7, device=device)
    state = inputs["recurrent_state"]
    assert state.shape[0] == 7
    assert state.stride(0) == 128 * 128 + 12
    assert not state.isnan().any()
    assert inputs["x_k"].stride(1) == 3 * 128
    assert inputs["cs_k"].stride() == (9 * 128, 1, 3 * 128)
    assert len(set(inputs["ssm_state_indices"].tolist())) == 3


def test_the_seed_fixes_every_number(device: torch.device) -> None:
    torch.manual_seed(1)
    first = sample_inputs(**SIZES, device=device)
    torch.manual_seed(1)
    second = sample_inputs(**SIZES, device="cpu")
    third = sample_inputs(**SIZES, device="cpu")
    for name in ("x_q", "w_v", "cs_k", "beta", "recurrent_state", "ssm_state_indices"):
        assert torch.equal(first[name].cpu(), second[name]), name
    assert not torch.equal(second["x_q"], third["x_q"])
