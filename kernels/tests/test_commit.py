"""Fold, snapshot copy and window rollback against their float64 references."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from kda_kernels import commit, reference_commit
from kda_kernels.errors import ContractError, DeviceContractError
from torch import Tensor

P, HV, H, L, V, K = 4, 2, 1, 4, 64, 128
NAN = float("nan")


def fold_arguments(
    device: torch.device, slots: list[int], accepts: list[int], **sizes: int
) -> dict[str, Any]:
    """A valid fold: 4 slots, 2 value heads on 1 key head, 4 positions, V != K."""
    s = {"P": P, "HV": HV, "H": H, "L": L, "V": V, "K": K} | sizes
    state = torch.randn(s["P"], s["HV"], s["V"], s["K"])
    arguments: dict[str, Any] = {
        "checkpoint_state": state,
        "rawv_cache": torch.randn(s["P"], s["HV"], s["L"], s["V"]).bfloat16(),
        "rawk_cache": torch.randn(s["P"], s["H"], s["L"], s["K"]).bfloat16(),
        "gk_cache": -5 * torch.rand(s["P"], s["HV"], s["L"], s["K"]),
        "beta_cache": torch.rand(s["P"], s["HV"], s["L"]),
        "ssm_state_indices": torch.tensor(slots, dtype=torch.int32),
        "accept_lens": torch.tensor(accepts, dtype=torch.int32),
    }
    arguments = {name: tensor.to(device) for name, tensor in arguments.items()}
    return arguments | {"max_cache_len": s["L"], "num_k_heads": s["H"]}


def folded(arguments: dict[str, Any]) -> Tensor:
    """What the fold must leave in the pool."""
    names = set(arguments) - {"max_cache_len", "num_k_heads"}
    return reference_commit.commit_kda_replayssm_spec(**{name: arguments[name] for name in names})


def assert_close(actual: Tensor, expected: Tensor) -> None:
    """Equal to an fp32 rounding or two, NaN nowhere."""
    error = (actual.double() - expected.double()).abs().max().item()
    assert error <= 2e-6 * expected.abs().max().item(), error


@pytest.mark.parametrize("dims", [(64, 128), (128, 64), (128, 256), (256, 128)], ids=str)
def test_fold_with_unequal_head_dims(device: torch.device, dims: tuple[int, int]) -> None:
    a = fold_arguments(device, [2, 0], [2, 1], V=dims[0], K=dims[1], P=3)
    expected = folded(a)
    commit.commit_kda_replayssm_spec(**a)
    assert_close(a["checkpoint_state"], expected)


@pytest.mark.parametrize("accepted", range(-1, L + 3))
def test_fold_of_every_accepted_length(device: torch.device, accepted: int) -> None:
    a = fold_arguments(device, [1], [accepted])
    before = a["checkpoint_state"].clone()
    expected = folded(a)
    commit.commit_kda_replayssm_spec(**a)
    assert_close(a["checkpoint_state"], expected)
    if accepted <= 0:
        assert torch.equal(a["checkpoint_state"], before)


def test_fold_skips_negative_slots_and_slots_past_the_pool(device: torch.device) -> None:
    a = fold_arguments(device, [-1, 2, P, -7], [2, 2, 2, 2])
    before = a["checkpoint_state"].clone()
    alone = {
        **a,
        "ssm_state_indices": a["ssm_state_indices"][1:2],
        "accept_lens": a["accept_lens"][1:2],
    }
    expected = folded(alone)
    commit.commit_kda_replayssm_spec(**a)
    assert_close(a["checkpoint_state"], expected)
    assert torch.equal(a["checkpoint_state"][[0, 1, 3]], before[[0, 1, 3]])


def test_fold_reads_no_neighbour(device: torch.device) -> None:
    """NaN in every slot, and in every ring position, that the fold has no business with."""
    a = fold_arguments(device, [1], [2])
    expected = folded(a)[1]
    others = [0, 2, 3]
    a["checkpoint_state"][others] = NAN
    for ring in ("rawv_cache", "rawk_cache", "gk_cache", "beta_cache"):
        a[ring][others] = NAN
        a[ring][:, :, 2:] = NAN
    commit.commit_kda_replayssm_spec(**a)
    assert_close(a["checkpoint_state"][1], expected)
    assert a["checkpoint_state"][others].isnan().all()


def test_fold_takes_strided_indices_and_odd_pitches(device: torch.device) -> None:
    a = fold_arguments(device, [3, 1], [2, 1])
    expected = folded(a)
    pool = torch.full((P, HV * V * K + 12), NAN, device=device)
    state = pool[:, 8 : 8 + HV * V * K].view(P, HV, V, K)
    state.copy_(a["checkpoint_state"])
    columns = torch.full((2, 3), 99, dtype=torch.int64, device=device)
    columns[:, 1] = a["ssm_state_indices"]
    lengths = torch.full((2, 2), 99, dtype=torch.int64, device=device)
    lengths[:, 1] = a["accept_lens"]
    a |= {
        "checkpoint_state": state,
        "ssm_state_indices": columns[:, 1],
        "accept_lens": lengths[:, 1],
    }
    commit.commit_kda_replayssm_spec(**a)
    assert_close(state, expected)
    assert pool[:, :8].isnan().all()
    assert pool[:, 8 + HV * V * K :].isnan().all()


@pytest.mark.parametrize("step", [0, 1, 2])
def test_tracked_slot_receives_the_state_after_its_step(device: torch.device, step: int) -> None:
    """Prefix caches restore from the tracked slot; step 2 is not accepted, so it stays as it is."""
    a = fold_arguments(device, [1, 2], [2, 2])
    a["mamba_track_indices"] = torch.tensor([3, -1], device=device)
    a["mamba_steps_to_track"] = torch.tensor([step, 0], device=device)
    before = a["checkpoint_state"].clone()
    expected = folded(a)
    commit.commit_kda_replayssm_spec(**a)
    assert_close(a["checkpoint_state"], expected)
    assert torch.equal(a["checkpoint_state"][3], before[3]) == (step == 2)


def test_keys_that_are_normalised_already(device: torch.device) -> None:
    a = fold_arguments(device, [1], [2]) | {"use_qk_l2norm_in_kernel": False}
    a["rawk_cache"] = torch.nn.functional.normalize(a["rawk_cache"].float(), dim=-1)
    expected = folded(a)
    commit.commit_kda_replayssm_spec(**a)
    assert_close(a["checkpoint_state"], expected)


def test_all_layers_equal_the_loop_bit_for_bit(device: torch.device) -> None:
    layers = [fold_arguments(device, [2, -1, 0], [2, 1, 1]) for _ in range(2)]
    tensors = ("checkpoint_state", "rawv_cache", "rawk_cache", "gk_cache", "beta_cache")
    stacked = layers[0] | {t: torch.stack([layer[t] for layer in layers]) for t in tensors}
    track: dict[str, Any] = {
        "mamba_track_indices": torch.tensor([3, 3, -1], device=device),
        "mamba_steps_to_track": torch.tensor([0, 0, 0], device=device),
    }
    commit.commit_kda_replayssm_spec_all_layers(**stacked, **track)
    for layer in layers:
        shared: dict[str, Any] = {n: stacked[n] for n in ("ssm_state_indices", "accept_lens")}
        commit.commit_kda_replayssm_spec(**layer | shared, **track)
    loop = torch.stack([layer["checkpoint_state"] for layer in layers])
    assert torch.equal(stacked["checkpoint_state"], loop)


def test_a_request_folds_alike_alone_and_in_a_batch(device: torch.device) -> None:
    a = fold_arguments(device, [3, 0, 1], [2, 3, 1])
    alone = a | {
        "checkpoint_state": a["checkpoint_state"].clone(),
        "ssm_state_indices": a["ssm_state_indices"][1:2],
        "accept_lens": a["accept_lens"][1:2],
    }
    commit.commit_kda_replayssm_spec(**a)
    commit.commit_kda_replayssm_spec(**alone)
    assert torch.equal(a["checkpoint_state"][0], alone["checkpoint_state"][0])


# commit_after_verify

R, T1 = 3, 3


def after_verify_arguments(
    device: torch.device, slots: list[int], accepts: list[int], *, rings: bool = True
) -> dict[str, Any]:
    """A valid commit: conv windows as views of one [P, 3, C_all] pool, 3 verified tokens."""
    fold = fold_arguments(device, slots, accepts)
    channels = {"q": H * K, "k": H * K, "v": HV * V}
    packed = torch.randn(P, 3, sum(channels.values()), device=device).bfloat16()
    views = packed.transpose(1, 2).split(list(channels.values()), dim=1)
    arguments: dict[str, Any] = {
        "recurrent_state": fold["checkpoint_state"],
        "ssm_state_indices": fold["ssm_state_indices"],
        "accept_lens": fold["accept_lens"],
        "intermediate_state_indices": torch.tensor([2, 0, 1][: len(slots)], device=device),
    }
    for (stream, count), view in zip(channels.items(), views, strict=True):
        arguments[f"cs_{stream}"] = view
        scratch = torch.randn(R, T1, count, 3, device=device).bfloat16()
        arguments[f"intermediate_conv_{stream}"] = scratch
    if rings:
        names = ("rawv", "rawk", "g", "beta")
        caches = ("rawv_cache", "rawk_cache", "gk_cache", "beta_cache")
        pairs = zip(names, caches, strict=True)
        return arguments | {f"replayssm_{name}": fold[cache] for name, cache in pairs}
    return arguments | {"intermediate_ssm": torch.randn(R, T1, HV, V, K, device=device)}


def committed(a: dict[str, Any], accepts: list[int]) -> dict[str, Tensor]:
    """What the commit of `accepts` tokens must leave in every pool."""
    accept_lens = torch.tensor(accepts)
    indices = a["ssm_state_indices"], a["intermediate_state_indices"]
    if "intermediate_ssm" in a:
        state = reference_commit.commit_snapshots(
            a["recurrent_state"], a["intermediate_ssm"], *indices, accept_lens
        )
    else:
        rings = (a[f"replayssm_{name}"] for name in ("rawv", "rawk", "g", "beta"))
        state = reference_commit.commit_kda_replayssm_spec(
            a["recurrent_state"], *rings, indices[0], accept_lens
        )
    windows = {
        f"cs_{s}": reference_commit.rollback_conv_window(
            a[f"cs_{s}"], a[f"intermediate_conv_{s}"], *indices, accept_lens
        )
        for s in "qkv"
    }
    return windows | {"recurrent_state": state}


@pytest.mark.parametrize("rings", [True, False], ids=["rings", "snapshots"])
@pytest.mark.parametrize("accepted", range(T1 + 1))
def test_state_and_windows_of_every_accepted_length(
    device: torch.device, accepted: int, rings: bool
) -> None:
    """Partial acceptance is where an aliased window shows; full acceptance hides it."""
    a = after_verify_arguments(device, [3, -1, 1], [accepted, T1, 1], rings=rings)
    expected = committed(a, [accepted, T1, 1])
    commit.commit_after_verify(**a)
    assert_committed(a, expected)


@pytest.mark.parametrize("rings", [True, False], ids=["rings", "snapshots"])
def test_accepted_past_the_verified_tokens_is_all_of_them(
    device: torch.device, rings: bool
) -> None:
    """The ring is longer than the step, and position T1 holds an older step's token."""
    a = after_verify_arguments(device, [3, 0], [T1 + 1, 2], rings=rings)
    expected = committed(a, [T1, 2])
    commit.commit_after_verify(**a)
    assert_committed(a, expected)


@pytest.mark.parametrize("rings", [True, False], ids=["rings", "snapshots"])
def test_accepted_past_a_short_request_is_all_of_it(device: torch.device, rings: bool) -> None:
    """Offsets say that the second request verified two tokens of three."""
    a = after_verify_arguments(device, [3, 0], [T1, T1], rings=rings)
    expected = committed(a, [T1, 2])
    commit.commit_after_verify(**a, cu_seqlens=torch.tensor([0, T1, T1 + 2], device=device))
    assert_committed(a, expected)


def assert_committed(a: dict[str, Any], expected: dict[str, Tensor]) -> None:
    """State to fp32 roundings, windows exactly."""
    assert_close(a["recurrent_state"], expected["recurrent_state"])
    for name in ("cs_q", "cs_k", "cs_v"):
        assert torch.equal(a[name].double(), expected[name])


def test_tracking_a_snapshot(device: torch.device) -> None:
    a = after_verify_arguments(device, [3, 0, 1], [3, 2, 1], rings=False)
    a["mamba_track_indices"] = torch.tensor([2, -1, 2], device=device)
    a["mamba_steps_to_track"] = torch.tensor([1, 1, 1], device=device)
    commit.commit_after_verify(**a)
    assert torch.equal(a["recurrent_state"][2], a["intermediate_ssm"][2, 1])


def test_rows_outside_the_scratch_are_not_followed(device: torch.device) -> None:
    a = after_verify_arguments(device, [3, 0], [1, 1], rings=False)
    a["intermediate_state_indices"] = torch.tensor([-1, R], device=device)
    before = {name: a[name].clone() for name in ("recurrent_state", "cs_q", "cs_k", "cs_v")}
    commit.commit_after_verify(**a)
    for name, tensor in before.items():
        assert torch.equal(a[name], tensor)


# Contract

FOLD_FAULTS: dict[str, tuple[str, Callable[[dict[str, Any]], Any]]] = {
    "null block 0": ("EKB6298", lambda a: a.update(null_block_id=0)),
    "bf16 state": (
        "EKB8961",
        lambda a: a.update(checkpoint_state=a["checkpoint_state"].bfloat16()),
    ),
    "a layer dimension": (
        "EKB8961",
        lambda a: a.update(checkpoint_state=a["checkpoint_state"][None]),
    ),
    "head dim 96": (
        "EKB0909",
        lambda a: a.update(checkpoint_state=a["checkpoint_state"].new_zeros(P, HV, 96, K)),
    ),
    "heads that do not divide": ("EKB2917", lambda a: a.update(num_k_heads=3)),
    "another ring length": ("EKB7046", lambda a: a.update(max_cache_len=L + 1)),
    "keys per value head": ("EKB7046", lambda a: a.update(rawk_cache=a["gk_cache"].bfloat16())),
    "bf16 decay": ("EKB3289", lambda a: a.update(gk_cache=a["gk_cache"].bfloat16())),
    "K-first state": (
        "EKB7645",
        lambda a: a.update(checkpoint_state=a["checkpoint_state"].mT.contiguous().mT),
    ),
    "slots without steps": (
        "EKB1189",
        lambda a: a.update(mamba_track_indices=a["ssm_state_indices"]),
    ),
    "float accept": ("EKB5220", lambda a: a.update(accept_lens=a["accept_lens"].float())),
    "one length too few": ("EKB5220", lambda a: a.update(accept_lens=a["accept_lens"][1:])),
    "elsewhere": ("EKB0597", lambda a: a.update(accept_lens=a["accept_lens"].to("meta"))),
}


@pytest.mark.parametrize("fault", FOLD_FAULTS)
def test_fold_rejects(device: torch.device, fault: str) -> None:
    code, spoil = FOLD_FAULTS[fault]
    a = fold_arguments(device, [2, 0], [2, 1])
    pool = a["checkpoint_state"]
    before = pool.clone()
    spoil(a)
    with pytest.raises(ContractError) as raised:
        commit.commit_kda_replayssm_spec(**a)
    assert raised.value.code == code
    assert torch.equal(pool, before)


AFTER_VERIFY_FAULTS: dict[str, tuple[str, Callable[[dict[str, Any]], Any]]] = {
    "no source": ("EKB7471", lambda a: a.update({f"replayssm_{r}": None for r in RINGS})),
    "one ring missing": ("EKB7471", lambda a: a.update(replayssm_g=None)),
    "two sources": (
        "EKB7471",
        lambda a: a.update(intermediate_ssm=a["recurrent_state"].new_zeros(R, T1, HV, V, K)),
    ),
    "short snapshots": (
        "EKB3835",
        lambda a: (
            a.update({f"replayssm_{r}": None for r in RINGS})
            or a.update(intermediate_ssm=a["recurrent_state"].new_zeros(R, T1, HV, K, V))
        ),
    ),
    "windows of [3, C]": ("EKB3960", lambda a: a.update(cs_k=a["cs_k"].transpose(1, 2))),
    "fp32 windows": ("EKB3960", lambda a: a.update(cs_q=a["cs_q"].float())),
    "offsets of N entries": ("EKB3580", lambda a: a.update(cu_seqlens=a["accept_lens"])),
    "row per token": (
        "EKB5220",
        lambda a: a.update(intermediate_state_indices=a["intermediate_state_indices"].new_zeros(6)),
    ),
}
RINGS = ("rawv", "rawk", "g", "beta")


@pytest.mark.parametrize("fault", AFTER_VERIFY_FAULTS)
def test_commit_after_verify_rejects(device: torch.device, fault: str) -> None:
    code, spoil = AFTER_VERIFY_FAULTS[fault]
    a = after_verify_arguments(device, [3, 0], [1, 1])
    written = [a[name] for name in ("recurrent_state", "cs_q", "cs_k", "cs_v")]
    before = [tensor.clone() for tensor in written]
    spoil(a)
    with pytest.raises(ContractError) as raised:
        commit.commit_after_verify(**a)
    assert raised.value.code == code
    assert all(torch.equal(x, y) for x, y in zip(written, before, strict=True))


@pytest.mark.parametrize(
    ("slots", "accepts", "code"),
    [
        ([3, P], [1, 1], "EKB7287"),
        ([3, 3], [1, 1], "EKB7370"),
        ([3, 1], [1, T1 + 1], "EKB4827"),
        ([3, 1], [-1, 1], "EKB4827"),
    ],
)
def test_values_are_checked_on_request(
    device: torch.device, slots: list[int], accepts: list[int], code: str
) -> None:
    a = after_verify_arguments(device, slots, accepts)
    with pytest.raises(DeviceContractError) as raised:
        commit.commit_after_verify(**a, validate="device")
    assert raised.value.code == code


def test_padding_passes_the_value_check(device: torch.device) -> None:
    a = after_verify_arguments(device, [3, -1, -1], [1, 99, -4])
    commit.commit_after_verify(**a, validate="device")
