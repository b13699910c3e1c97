"""One decode step in place against its float64 reference."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from kda_kernels import decode as ops
from kda_kernels import reference_decode
from kda_kernels.errors import ContractError, DeviceContractError
from kda_kernels.inputs import sample_inputs
from torch import Tensor

NAN = float("nan")
POOLS = ("recurrent_state", "cs_q", "cs_k", "cs_v")
BF16 = 2**-8
"""One rounding of the output, with room for the fp32 error before it."""


def decode_arguments(
    device: torch.device, slots: list[int], *, output_norm: bool = False
) -> dict[str, Any]:
    """Valid arguments for the given slots, in the memory layouts of a server."""
    inputs = sample_inputs(
        requests=len(slots),
        tokens_per_request=1,
        heads=1,
        pool_slots=5,
        device=device,
        output_norm=output_norm,
    )
    scratch = [name for name in inputs if name.startswith(("intermediate", "replay"))]
    for name in (*scratch, "cu_seqlens"):
        del inputs[name]
    return inputs | {"ssm_state_indices": torch.tensor(slots, dtype=torch.int32, device=device)}


def run(a: dict[str, Any]) -> tuple[Tensor, reference_decode.DecodeResult]:
    """The output of the op, and what the reference says."""
    expected = reference_decode.kda_decode(**a)
    return ops.kda_decode(**a), expected


def assert_step(a: dict[str, Any], out: Tensor, expected: reference_decode.DecodeResult) -> None:
    """Output to a bf16 rounding, state to fp32 roundings, windows exactly."""
    bound = BF16 * expected.out.abs() + 1e-5 * expected.out.abs().max()
    assert ((out.double() - expected.out).abs() <= bound).all()
    state_error = (a["recurrent_state"] - expected.recurrent_state).abs().max().item()
    assert state_error <= 2e-6 * expected.recurrent_state.abs().max().item()
    for name in ("cs_q", "cs_k", "cs_v"):
        assert torch.equal(a[name].double(), getattr(expected, name))


@pytest.mark.parametrize("output_norm", [True, False], ids=["norm", "plain"])
@pytest.mark.parametrize("gate", ["safe", "softplus"])
@pytest.mark.parametrize("bias", [True, False], ids=["bias", "no bias"])
def test_step_of_every_variant(
    device: torch.device, output_norm: bool, gate: str, bias: bool
) -> None:
    """The state is random, so a K-first reading of it would show in output and state."""
    a = decode_arguments(device, [3, 0], output_norm=output_norm)
    if gate == "softplus":
        a["lower_bound"] = None
    if bias:
        a |= {f"bias_{s}": torch.randn(128).to(device) for s in "qkv"}
    out, expected = run(a)
    assert_step(a, out, expected)


def test_safe_gate_is_no_clamped_softplus(device: torch.device) -> None:
    a = decode_arguments(device, [1])
    a["g"] = torch.full_like(a["g"], 6.0)
    a["A_log"], a["dt_bias"] = torch.zeros_like(a["A_log"]), torch.zeros_like(a["dt_bias"])
    softplus = {**a, "lower_bound": None}
    clamped = reference_decode.kda_decode(**softplus).recurrent_state
    out, expected = run(a)
    assert_step(a, out, expected)
    assert (a["recurrent_state"] - clamped).abs().max() > 1e-2


def test_softplus_gate_is_linear_far_above_zero(device: torch.device) -> None:
    """log(1 + exp(100)) is infinite in fp32, the softplus of 100 is 100."""
    a = decode_arguments(device, [1]) | {"lower_bound": None}
    a["g"] = torch.full_like(a["g"], 100.0)
    a["A_log"] = torch.full_like(a["A_log"], -5.0)
    out, expected = run(a)
    assert expected.recurrent_state[1].abs().max() > 0.1
    assert_step(a, out, expected)


@pytest.mark.parametrize("logit", [float("inf"), -float("inf"), 1e4, -1e4])
def test_gate_limits_are_finite(device: torch.device, logit: float) -> None:
    a = decode_arguments(device, [1])
    a["g"] = torch.full_like(a["g"], logit)
    out, expected = run(a)
    assert out.isfinite().all()
    assert_step(a, out, expected)


def test_zero_keys_and_values_leave_the_decayed_state(device: torch.device) -> None:
    """The norm's epsilon stands inside the root: a zero row gives zeros, not NaN."""
    a = decode_arguments(device, [1])
    for stream in "qkv":
        a[f"x_{stream}"] = torch.zeros(1, 1, 1, 128, device=device, dtype=torch.bfloat16)
        a[f"cs_{stream}"].zero_()
    out, expected = run(a)
    assert torch.equal(out, torch.zeros_like(out))
    assert_step(a, out, expected)


def test_padding_gives_zeros_and_touches_nothing(device: torch.device) -> None:
    """Negative slots and slots past the pool, not remapped onto slot 0 or the last slot."""
    a = decode_arguments(device, [-1, 2, 5, -9])
    before = {name: a[name].clone() for name in POOLS}
    out, expected = run(a)
    assert_step(a, out, expected)
    assert torch.equal(out[0, [0, 2, 3]], torch.zeros_like(out[0, [0, 2, 3]]))
    for name in POOLS:
        others = [0, 1, 3, 4]
        assert torch.equal(a[name][others], before[name][others])


def test_no_nan_leaks_between_requests_and_slots(device: torch.device) -> None:
    a = decode_arguments(device, [4, 1])
    _, expected = run({name: t.clone() if isinstance(t, Tensor) else t for name, t in a.items()})
    for name in POOLS:
        a[name][[0, 2, 3, 4]] = NAN
    a["x_q"][0, 0] = NAN
    a["g"][0, 0] = NAN
    out = ops.kda_decode(**a)
    error = (out[0, 1].double() - expected.out[0, 1]).abs()
    assert (error <= BF16 * expected.out[0, 1].abs() + 1e-4).all()
    assert a["recurrent_state"][1].isfinite().all()
    for name in ("cs_q", "cs_k", "cs_v"):
        assert torch.equal(a[name][1].double(), getattr(expected, name)[1])


def test_slot_pitch_keeps_the_bytes_between_slots(device: torch.device) -> None:
    """In-place writes reach the pool itself, and nothing between its slots."""
    a = decode_arguments(device, [2])
    size, pitch = 128 * 128, a["recurrent_state"].stride(0)
    assert pitch > size
    gaps = a["recurrent_state"].as_strided((4, pitch - size), (pitch, 1), size)
    out, expected = run(a)
    assert_step(a, out, expected)
    assert gaps.isnan().all()


def test_strided_slots_and_int64(device: torch.device) -> None:
    a = decode_arguments(device, [2, 0])
    table = torch.full((2, 3), 1, dtype=torch.int64, device=device)
    table[:, 2] = a["ssm_state_indices"]
    a["ssm_state_indices"] = table[:, 2]
    out, expected = run(a)
    assert_step(a, out, expected)


def test_windows_of_either_storage_order(device: torch.device) -> None:
    """[P, C, 3] stored as such, beside the transposed view of a [P, 3, C] pool."""
    a = decode_arguments(device, [2, 0])
    a["cs_k"] = a["cs_k"].contiguous()
    out, expected = run(a)
    assert_step(a, out, expected)


def test_a_request_decodes_alike_alone_and_in_a_batch(device: torch.device) -> None:
    a = decode_arguments(device, [3, 0, 4])
    alone: dict[str, Any] = {
        name: t.clone() if isinstance(t, Tensor) else t for name, t in a.items()
    }
    for name in ("x_q", "x_k", "x_v", "g", "beta"):
        alone[name] = alone[name][:, 1:2]
    alone["ssm_state_indices"] = alone["ssm_state_indices"][1:2]
    out, single = ops.kda_decode(**a), ops.kda_decode(**alone)
    assert torch.equal(out[:, 1:2], single)
    for name in POOLS:
        assert torch.equal(a[name][0], alone[name][0])


def test_steps_continue_one_another(device: torch.device) -> None:
    """Three calls in a row: the second reads what the first left in state and windows."""
    a = decode_arguments(device, [3])
    for _ in range(3):
        for name in ("x_q", "x_k", "x_v", "g"):
            a[name] = torch.randn(1, 1, 1, 128).to(device, torch.bfloat16)
        out, expected = run(a)
        assert_step(a, out, expected)


def test_no_requests(device: torch.device) -> None:
    a = decode_arguments(device, [3])
    for name in ("x_q", "x_k", "x_v", "g", "beta"):
        a[name] = a[name][:, :0]
    a["ssm_state_indices"] = a["ssm_state_indices"][:0]
    assert ops.kda_decode(**a).shape == (1, 0, 1, 128)


FAULTS: dict[str, tuple[str, Callable[[dict[str, Any]], Any]]] = {
    "four tokens": ("EKB0823", lambda a: a.update(x_k=a["x_k"].repeat(1, 4, 1, 1))),
    "flat gate": ("EKB0823", lambda a: a.update(g=a["g"].flatten(2))),
    "unsqueezed beta": ("EKB0823", lambda a: a.update(beta=a["beta"][..., None])),
    "head dim 64": (
        "EKB8529",
        lambda a: a.update(recurrent_state=a["recurrent_state"].new_zeros(5, 1, 64, 64)),
    ),
    "bf16 state": ("EKB5217", lambda a: a.update(recurrent_state=a["recurrent_state"].bfloat16())),
    "K-first state": (
        "EKB5217",
        lambda a: a.update(recurrent_state=a["recurrent_state"].transpose(2, 3)),
    ),
    "gate without weight": ("EKB5370", lambda a: a.update(onorm_weight=None)),
    "one bias": ("EKB1351", lambda a: a.update(bias_q=a["dt_bias"].new_zeros(128))),
    "short bias": (
        "EKB8317",
        lambda a: a.update({f"bias_{s}": a["dt_bias"].new_zeros(4) for s in "qkv"}),
    ),
    "stacked taps": ("EKB8317", lambda a: a.update(w_q=a["w_q"].new_zeros(4, 128))),
    "other slots": ("EKB8317", lambda a: a.update(cs_q=a["cs_q"][:4])),
    "scale 0": ("EKB1917", lambda a: a.update(scale=0.0)),
    "positive bound": ("EKB7583", lambda a: a.update(lower_bound=5.0)),
    "float slots": (
        "EKB5220",
        lambda a: a.update(ssm_state_indices=a["ssm_state_indices"].float()),
    ),
    "slots elsewhere": (
        "EKB8687",
        lambda a: a.update(ssm_state_indices=a["ssm_state_indices"].to("meta")),
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_rejects(device: torch.device, fault: str) -> None:
    code, spoil = FAULTS[fault]
    a = decode_arguments(device, [2], output_norm=True)
    pools = [a[name] for name in POOLS]
    before = [pool.clone() for pool in pools]
    spoil(a)
    with pytest.raises(ContractError) as raised:
        ops.kda_decode(**a)
    assert raised.value.code == code
    for pool, untouched in zip(pools, before, strict=True):
        assert torch.equal(pool, untouched)


@pytest.mark.parametrize(("slots", "code"), [([5, 1], "EKB7287"), ([1, 1], "EKB7370")])
def test_slots_are_checked_on_request(device: torch.device, slots: list[int], code: str) -> None:
    with pytest.raises(DeviceContractError) as raised:
        ops.kda_decode(**decode_arguments(device, slots), validate="device")
    assert raised.value.code == code
