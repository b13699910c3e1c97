"""Ragged verify and decode from projections, against the float64 reference and the fused op."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from kda_kernels import commit, fallback, reference_decode, sample_inputs
from kda_kernels.errors import ContractError, DeviceContractError
from kda_kernels.verify import fused_kda_decode_mtp_dspark
from torch import Tensor

NAN = float("nan")
RINGS = ("rawv", "rawk", "g", "beta")


def ragged(device: torch.device, lengths: list[int], **options: bool) -> dict[str, Any]:
    """Valid arguments for these lengths, scratch of 3 steps, one head, in server layouts."""
    total = sum(lengths)
    a = sample_inputs(
        requests=len(lengths), tokens_per_request=3, heads=1, device=device, **options
    )
    tokens = sample_inputs(requests=1, tokens_per_request=max(total, 1), heads=1, device=device)
    for name in ("x_q", "x_k", "x_v", "g", "beta"):
        a[name] = tokens[name][:, :total]
    if "onorm_gate" in a:
        a["onorm_gate"] = torch.randn(1, total, 1, 128).to(device, torch.bfloat16)
    offsets = [0, *torch.tensor(lengths).cumsum(0).tolist()]
    return a | {"cu_seqlens": torch.tensor(offsets, dtype=torch.int32, device=device)}


def grouped(device: torch.device, lengths: list[int], *, v_first: bool) -> dict[str, Any]:
    """In-place arguments with K = 64, V = 128, two value heads on one key head, biases."""
    H, HV, K, V, T, P = 1, 2, 64, 128, sum(lengths), len(lengths) + 2
    channels = {"q": H * K, "k": H * K, "v": HV * V}
    a: dict[str, Any] = {
        "g": torch.randn(1, T, HV, K).bfloat16(),
        "beta": torch.randn(1, T, HV).bfloat16(),
        "A_log": torch.randn(HV),
        "dt_bias": torch.randn(HV * K),
        "recurrent_state": torch.randn(P, HV, *((V, K) if v_first else (K, V))),
        "ssm_state_indices": torch.randperm(P)[: len(lengths)],
        "cu_seqlens": torch.tensor([0, *torch.tensor(lengths).cumsum(0).tolist()]),
    }
    for stream, heads, dim in (("q", H, K), ("k", H, K), ("v", HV, V)):
        a[f"x_{stream}"] = torch.randn(1, T, heads, dim).bfloat16()
        a[f"w_{stream}"] = 0.5 * torch.randn(channels[stream], 4)
        a[f"cs_{stream}"] = torch.randn(P, channels[stream], 3).bfloat16()
        a[f"bias_{stream}"] = torch.randn(channels[stream])
    a = {name: tensor.to(device) for name, tensor in a.items()}
    return a | {"lower_bound": None, "state_v_first": v_first, "inplace": True}


def assert_output(out: Tensor, expected: Tensor) -> None:
    """To one bf16 rounding."""
    largest = expected.abs().max() if expected.numel() else 0.0
    assert ((out.double() - expected).abs() <= 2**-8 * expected.abs() + 1e-5 * largest).all()


def assert_close(actual: Tensor, expected: Tensor) -> None:
    """To fp32 roundings."""
    assert (actual.double() - expected).abs().max() <= 3e-6 * expected.abs().max()


@pytest.mark.parametrize("lengths", [[3, 0, 1], [0, 2], [1, 1, 3]], ids=str)
@pytest.mark.parametrize("output_norm", [False, True], ids=["plain", "norm"])
def test_ragged_verify_into_snapshots(
    device: torch.device, lengths: list[int], output_norm: bool
) -> None:
    a = ragged(device, lengths, output_norm=output_norm)
    pools = {name: a[name].clone() for name in ("recurrent_state", "cs_q", "cs_k", "cs_v")}
    expected = reference_decode.kda_decode_fallback(**a)
    assert_output(fallback.kda_decode_fallback(**a), expected.out)
    offsets = a["cu_seqlens"].tolist()
    for n, row in enumerate(a["intermediate_state_indices"].tolist()):
        span = slice(offsets[n], offsets[n + 1])
        length = span.stop - span.start
        if length:
            assert_close(a["intermediate_ssm"][row, :length], expected.states[span])
        assert a["intermediate_ssm"][row, length:].isnan().all()
        for stream in "qkv":
            windows = a[f"intermediate_conv_{stream}"][row]
            assert torch.equal(
                windows[:length].double(), getattr(expected, f"windows_{stream}")[span]
            )
            assert windows[length:].isnan().all()
    for name, before in pools.items():
        assert torch.equal(a[name], before)


def test_ragged_verify_into_rings(device: torch.device) -> None:
    a = ragged(device, [1, 3], rings=True)
    expected = reference_decode.kda_decode_fallback(**a)
    assert_output(fallback.kda_decode_fallback(**a), expected.out)
    slots = a["ssm_state_indices"].tolist()
    for slot, span in zip(slots, (slice(0, 1), slice(1, 4)), strict=True):
        length = span.stop - span.start
        for ring, exact in zip(RINGS, (2**-7, 2**-7, 0.0, 0.0), strict=True):
            held = a[f"replayssm_{ring}"][slot].transpose(0, 1)
            want = getattr(expected, f"ring_{ring}")[span]
            error = (held[:length].double() - want).abs()
            assert (error <= exact * want.abs() + 3e-6).all()
            assert held[length:].isnan().all()


@pytest.mark.parametrize("accepted", range(4))
def test_fold_of_rounded_rings_equals_the_snapshot_path(
    device: torch.device, accepted: int
) -> None:
    """Verify rounds what it stores before it uses it, so both commits give one state."""
    a = ragged(device, [3], rings=True)
    by_rings = {name: t.clone() if isinstance(t, Tensor) else t for name, t in a.items()}
    by_snapshots = by_rings | {f"replayssm_{ring}": None for ring in RINGS}
    by_snapshots["recurrent_state"] = a["recurrent_state"].clone()
    by_snapshots["intermediate_ssm"] = torch.full((2, 3, 1, 128, 128), NAN, device=device)
    out = fallback.kda_decode_fallback(**by_rings)
    assert torch.equal(fallback.kda_decode_fallback(**by_snapshots, round_conv=True), out)
    accept_lens = torch.tensor([accepted], device=device)
    for call in (by_rings, by_snapshots):
        commit.commit_after_verify(**commit.commit_keywords(call), accept_lens=accept_lens)
    difference = (by_rings["recurrent_state"] - by_snapshots["recurrent_state"]).abs().max()
    assert difference <= 1e-6 * by_rings["recurrent_state"].abs().max()


@pytest.mark.parametrize("rings", [False, True], ids=["snapshots", "rings"])
def test_equal_lengths_agree_with_the_fused_op(device: torch.device, rings: bool) -> None:
    a = sample_inputs(
        requests=2, tokens_per_request=2, heads=1, output_norm=True, rings=rings, device=device
    )
    b = {name: t.clone() if isinstance(t, Tensor) else t for name, t in a.items()}
    b["recurrent_state"] = a["recurrent_state"]
    fused = fused_kda_decode_mtp_dspark(**a).double()
    # Both are rounded, so that values which almost agree may lie one bf16 apart.
    error = (fallback.kda_decode_fallback(**b).double() - fused).abs()
    assert (error <= 2**-7 * fused.abs() + 1e-5 * fused.abs().max()).all()


@pytest.mark.parametrize("v_first", [True, False], ids=["V-first", "K-first"])
@pytest.mark.parametrize("lengths", [[2, 0, 1], [1, 1]], ids=str)
def test_grouped_heads_in_place(device: torch.device, lengths: list[int], v_first: bool) -> None:
    """Softplus gate, biases and K != V in the same call."""
    a = grouped(device, lengths, v_first=v_first)
    expected = reference_decode.kda_decode_fallback(**a)
    assert_output(fallback.kda_decode_fallback(**a), expected.out)
    assert_close(a["recurrent_state"], expected.recurrent_state)
    for name in ("cs_q", "cs_k", "cs_v"):
        assert torch.equal(a[name].double(), getattr(expected, name))


def test_padding_gives_zeros_and_touches_nothing(device: torch.device) -> None:
    """With the norm, whose gate holds NaN in padded rows."""
    a = ragged(device, [2, 1], output_norm=True)
    a["ssm_state_indices"][0] = -1
    a["x_q"][0, :2] = NAN
    a["onorm_gate"][0, :2] = NAN
    out = fallback.kda_decode_fallback(**a)
    assert torch.equal(out[0, :2], torch.zeros_like(out[0, :2]))
    row = a["intermediate_state_indices"][0]
    for name in ("intermediate_ssm", "intermediate_conv_q"):
        assert a[name][row].isnan().all()
    assert_output(out, reference_decode.kda_decode_fallback(**a).out)


def test_tokens_past_the_scratch_are_not_kept(device: torch.device) -> None:
    a = ragged(device, [5, 1])
    rows = a["intermediate_state_indices"].tolist()
    expected = reference_decode.kda_decode_fallback(**a)
    assert_output(fallback.kda_decode_fallback(**a), expected.out)
    assert_close(a["intermediate_ssm"][rows[0]], expected.states[:3])
    assert_close(a["intermediate_ssm"][rows[1], :1], expected.states[5:])
    unused = ({0, 1, 2} - set(rows)).pop()
    assert a["intermediate_ssm"][unused].isnan().all()


def test_no_requests(device: torch.device) -> None:
    a = ragged(device, [1])
    for name in ("x_q", "x_k", "x_v", "g", "beta"):
        a[name] = a[name][:, :0]
    a["cu_seqlens"] = a["cu_seqlens"][:1]
    for name in ("ssm_state_indices", "intermediate_state_indices"):
        a[name] = a[name][:0]
    assert fallback.kda_decode_fallback(**a).shape == (1, 0, 1, 128)


FAULTS: dict[str, tuple[str, Callable[[dict[str, Any]], Any]]] = {
    "flat q": ("EKB3824", lambda a: a.update(x_q=a["x_q"].flatten(2))),
    "flat gate": ("EKB4845", lambda a: a.update(g=a["g"].flatten(2))),
    "fp16": ("EKB5311", lambda a: a.update(g=a["g"].half())),
    "state of other heads": (
        "EKB9379",
        lambda a: a.update(recurrent_state=a["recurrent_state"].new_zeros(4, 2, 128, 128)),
    ),
    "scratch with inplace": ("EKB0652", lambda a: a.update(inplace=True)),
    "no scratch": ("EKB5289", lambda a: a.update(intermediate_conv_k=None)),
    "no snapshots": ("EKB7471", lambda a: a.update(intermediate_ssm=None)),
    "taps as [4, C]": ("EKB8317", lambda a: a.update(w_q=a["w_q"].mT)),
    "two biases": (
        "EKB1351",
        lambda a: a.update({f"bias_{s}": a["dt_bias"].new_zeros(128) for s in "qk"}),
    ),
    "windows as [3, C]": (
        "EKB3960",
        lambda a: a.update(intermediate_conv_q=a["intermediate_conv_q"].mT),
    ),
    "bf16 snapshots": (
        "EKB3835",
        lambda a: a.update(intermediate_ssm=a["intermediate_ssm"].bfloat16()),
    ),
    "norm without eps": ("EKB5370", lambda a: a.update(onorm_eps=None)),
    "scale 0": ("EKB1917", lambda a: a.update(scale=0.0)),
    "float slots": (
        "EKB5220",
        lambda a: a.update(ssm_state_indices=a["ssm_state_indices"].float()),
    ),
    "taps elsewhere": ("EKB8687", lambda a: a.update(w_k=a["w_k"].to("meta"))),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_rejects(device: torch.device, fault: str) -> None:
    code, spoil = FAULTS[fault]
    a = ragged(device, [2, 1], output_norm=True)
    spoil(a)
    with pytest.raises(ContractError) as raised:
        fallback.kda_decode_fallback(**a)
    assert raised.value.code == code


def test_norm_of_narrow_values_is_rejected(device: torch.device) -> None:
    a = grouped(device, [1], v_first=True)
    a["x_v"] = a["x_v"][..., :64]
    a["recurrent_state"] = a["recurrent_state"][:, :, :64].contiguous()
    gate = torch.zeros(1, 1, 2, 128, device=device, dtype=torch.bfloat16)
    norm = {"onorm_gate": gate, "onorm_weight": torch.ones(128, device=device), "onorm_eps": 1e-5}
    with pytest.raises(ContractError) as raised:
        fallback.kda_decode_fallback(**a | norm)
    assert raised.value.code == "EKB9938"


@pytest.mark.parametrize(
    ("lengths", "slots", "code"),
    [([4, 1], [0, 1], "EKB5480"), ([1, 1], [0, 9], "EKB7287")],
)
def test_values_are_checked_on_request(
    device: torch.device, lengths: list[int], slots: list[int], code: str
) -> None:
    a = ragged(device, lengths)
    a["ssm_state_indices"] = torch.tensor(slots, device=device)
    with pytest.raises(DeviceContractError) as raised:
        fallback.kda_decode_fallback(**a, validate="device")
    assert raised.value.code == code
