"""Every check of the verify op: it raises its own code, in sglang's order, and nothing is written.

`contract_cases.py` has one way to each error; a check without a case, or a case without a check,
fails.
"""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import kda_kernels
import pytest
import torch
from contract_cases import (
    DEVICE,
    OURS,
    T1,
    UPSTREAM,
    UPSTREAM_VARIANTS,
    Case,
    H,
    Inputs,
    indices,
)
from kda_kernels import (
    BackendUnavailableError,
    ContractError,
    DeviceContractError,
    fused_kda_decode_mtp_dspark,
    memory_contract,
    sample_inputs,
    verify,
)

MODULES = ("contract", "input_contract", "memory_contract", "device_contract")
ELSEWHERE = {
    "EKB8687": "test_other_device",
    "EKB8884": "test_no_backend",
    "EKB6725": "test_device_checks_during_capture",
}


def bits(inputs: Inputs) -> Inputs:
    """Copies of all tensors as bytes, in which NaN equals itself."""
    return {
        name: value.detach().clone().contiguous().view(torch.uint8)
        for name, value in inputs.items()
        if isinstance(value, torch.Tensor) and value.ndim > 0 and value.numel() > 0
    }


def assert_raises(
    inputs: Inputs, code: str, message: str, error_class: type[ContractError] = ContractError
) -> None:
    """The call raises exactly this, names the record, and writes nothing."""
    before = bits(inputs)
    with pytest.raises(error_class) as caught:
        fused_kda_decode_mtp_dspark(**inputs)
    assert (caught.value.code, str(caught.value)) == (code, message)
    assert caught.value.__notes__[-1].endswith(f"errorkb explain {code}")
    after = bits(inputs)
    assert all(torch.equal(before[name], after[name]) for name in before)


def case_id(value: object) -> str | None:
    return f"{value.code}-{value.message[:60]}" if isinstance(value, Case) else None


@pytest.mark.parametrize("broken", [*UPSTREAM, *UPSTREAM_VARIANTS, *OURS], ids=case_id)
def test_host_check(broken: Case, device: torch.device) -> None:
    inputs = sample_inputs(
        requests=2, tokens_per_request=T1, heads=H, device=device, **broken.options
    )
    broken.breaks(inputs)
    assert_raises(inputs, broken.code, broken.message)


@pytest.mark.parametrize("broken", DEVICE, ids=case_id)
def test_device_check(broken: Case, device: torch.device) -> None:
    inputs = sample_inputs(
        requests=2, tokens_per_request=T1, heads=H, device=device, **broken.options
    )
    broken.breaks(inputs)
    assert_raises(inputs | {"validate": "device"}, broken.code, broken.message, DeviceContractError)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (first, second)
        for first, second in pairwise(UPSTREAM)
        # Rings and snapshots exclude each other, so one call cannot break both.
        if second.code != "EKB6396"
    ],
    ids=case_id,
)
def test_upstream_order(first: Case, second: Case, device: torch.device) -> None:
    options = first.options | second.options
    inputs = sample_inputs(requests=2, tokens_per_request=T1, heads=H, device=device, **options)
    second.breaks(inputs)
    first.breaks(inputs)
    with pytest.raises(ContractError) as caught:
        fused_kda_decode_mtp_dspark(**inputs)
    assert caught.value.code == first.code


def test_every_check_has_a_case() -> None:
    package = Path(kda_kernels.__file__).parent
    sources = "".join((package / f"{module}.py").read_text() for module in MODULES)
    raised = re.findall(r'"(EKB\d{4})"', sources)
    assert len(raised) == len(set(raised))
    tested = {row.code for row in (*UPSTREAM, *UPSTREAM_VARIANTS, *OURS, *DEVICE)} | set(ELSEWHERE)
    assert tested == set(raised)


def test_messages_of_upstream_say_what_came_in_a_note(device: torch.device) -> None:
    inputs = sample_inputs(requests=2, tokens_per_request=T1, heads=H, device=device)
    inputs["beta"] = inputs["beta"][..., None]
    with pytest.raises(ContractError) as caught:
        fused_kda_decode_mtp_dspark(**inputs)
    assert caught.value.__notes__[0] == "got beta (1, 4, 2, 1)"


def test_other_device(device: torch.device) -> None:
    inputs = sample_inputs(requests=2, tokens_per_request=T1, heads=H, device=device)
    other = "cpu" if device.type == "cuda" else "meta"
    with pytest.raises(ContractError) as caught:
        fused_kda_decode_mtp_dspark(**inputs | {"cu_seqlens": inputs["cu_seqlens"].to(other)})
    assert caught.value.code == "EKB8687"
    expected = f"expected cu_seqlens on {inputs['x_q'].device} like x_q, got {other}"
    assert str(caught.value) == expected


def test_no_backend(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verify, "INTERPRETED", False)
    inputs = sample_inputs(requests=2, tokens_per_request=T1, heads=H, device="cpu")
    before = bits(inputs)
    with pytest.raises(BackendUnavailableError) as caught:
        fused_kda_decode_mtp_dspark(**inputs)
    assert caught.value.code == "EKB8884"
    assert str(caught.value) == (
        "no kernel runs on cpu tensors: move them to a GPU, or set TRITON_INTERPRET=1 "
        "before triton is imported"
    )
    after = bits(inputs)
    assert all(torch.equal(before[name], after[name]) for name in before)


def test_interpreter_is_a_backend() -> None:
    memory_contract.check_backend(torch.zeros(1), interpreted=True)


@pytest.mark.gpu
def test_device_checks_during_capture(device: torch.device) -> None:
    inputs = sample_inputs(requests=2, tokens_per_request=T1, heads=H, device=device)
    fused_kda_decode_mtp_dspark(**inputs)
    with torch.cuda.graph(torch.cuda.CUDAGraph()):
        inputs["cu_seqlens"].clone()  # torch warns of a graph with nothing in it
        with pytest.raises(ContractError) as caught:
            fused_kda_decode_mtp_dspark(**inputs, validate="device")
    assert caught.value.code == "EKB6725"
    assert not isinstance(caught.value, DeviceContractError)


def test_gradients_are_not_expected_without_grad_mode(device: torch.device) -> None:
    inputs = sample_inputs(requests=1, tokens_per_request=1, heads=1, device=device)
    inputs["w_q"] = torch.nn.Parameter(inputs["w_q"])
    with torch.no_grad():
        assert not fused_kda_decode_mtp_dspark(**inputs).isnan().any()


def test_rings_leave_intermediate_ssm_unread(device: torch.device) -> None:
    inputs = sample_inputs(requests=1, tokens_per_request=1, heads=1, rings=True, device=device)
    inputs["intermediate_ssm"] = torch.zeros(1, dtype=torch.int8)
    assert not fused_kda_decode_mtp_dspark(**inputs).isnan().any()


def test_padded_rows_may_name_anything(device: torch.device) -> None:
    inputs = sample_inputs(requests=2, tokens_per_request=T1, heads=H, device=device)
    indices("ssm_state_indices", -1, -1)(inputs)
    indices("intermediate_state_indices", 99, 99)(inputs)
    out = fused_kda_decode_mtp_dspark(**inputs, validate="device")
    assert not out.any()


def test_snapshots_may_share_a_slot(device: torch.device) -> None:
    inputs = sample_inputs(requests=2, tokens_per_request=1, heads=1, device=device)
    indices("ssm_state_indices", 1, 1)(inputs)
    assert not fused_kda_decode_mtp_dspark(**inputs, validate="device").isnan().any()
