"""What no interpreter shows: wide offsets, programs in several waves, graphs, repeatability."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import kda_kernels as ops
import pytest
import torch
from kda_kernels import reference
from torch import Tensor

pytestmark = pytest.mark.gpu

FP32_PITCH = 2**28 + 12_344
"""Eight slots of this pitch pass 2**31 elements; no power of two, which shifts would compute."""
BF16_PITCH = 2**28 + 23_448
WIDE_SLOTS = 9
FAR, NEAR = 8, 1
POOLS = ("recurrent_state", "cs_q", "cs_k", "cs_v", "checkpoint_state", "initial_state")


def copied(a: dict[str, Any]) -> dict[str, Any]:
    """The same arguments in tensors of their own, with their strides."""
    copies = {}
    for name, value in a.items():
        copies[name] = value
        if isinstance(value, Tensor):
            copies[name] = torch.empty_like(value).copy_(value)
    return copies


def decode(slots: list[int]) -> tuple[Callable[..., Any], dict[str, Any]]:
    """One token for each slot, with the output norm."""
    a = ops.sample_decode_inputs(requests=len(slots), heads=2, output_norm=True, pool_slots=9)
    return ops.kda_decode, a | {"ssm_state_indices": indices(slots)}


def recur(slots: list[int]) -> tuple[Callable[..., Any], dict[str, Any]]:
    """Two tokens for each slot of a pool."""
    lengths = [2] * len(slots)
    a = ops.sample_recurrent_inputs(lengths=lengths)
    pool = torch.randn(9, *a["initial_state"].shape[1:], device="cuda")
    return ops.fused_recurrent_kda, a | {"initial_state": pool, "ssm_state_indices": indices(slots)}


def fold(slots: list[int]) -> tuple[Callable[..., Any], dict[str, Any]]:
    """Three accepted tokens for each slot."""
    a = ops.sample_fold_inputs(requests=len(slots), value_heads=4, pool_slots=9)
    lengths = torch.full((len(slots),), 3, dtype=torch.int32, device="cuda")
    a |= {"ssm_state_indices": indices(slots), "accept_lens": lengths}
    return ops.commit_kda_replayssm_spec, a


def fallback(slots: list[int]) -> tuple[Callable[..., Any], dict[str, Any]]:
    """Ragged requests advance their slots in place."""
    lengths = [1 + n % 3 for n in range(len(slots))]
    a = ops.sample_fallback_inputs(lengths=lengths, output_norm=True, pool_slots=9)
    a = {name: x for name, x in a.items() if not name.startswith("intermediate")}
    return ops.kda_decode_fallback, a | {"ssm_state_indices": indices(slots), "inplace": True}


def after_verify(slots: list[int]) -> tuple[Callable[..., Any], dict[str, Any]]:
    """Snapshots and windows go to their slots."""
    a = ops.commit_keywords(
        ops.sample_inputs(requests=len(slots), tokens_per_request=3, pool_slots=9)
    )
    for name in [name for name in a if name.startswith("intermediate_")]:
        if a[name].is_floating_point():
            a[name] = torch.randn(a[name].shape, device="cuda").to(a[name].dtype)
    lengths = torch.arange(len(slots), device="cuda", dtype=torch.int32) % 4
    a |= {"ssm_state_indices": indices(slots), "accept_lens": lengths}
    return ops.commit_after_verify, a


def indices(slots: list[int]) -> Tensor:
    """Slots as a device tensor."""
    return torch.tensor(slots, dtype=torch.int32, device="cuda")


CASES = [decode, recur, fold, fallback, after_verify]


def widened(tensor: Tensor) -> Tensor:
    """The same slots, so far apart that the last one lies past 2**31 elements."""
    pitch = FP32_PITCH if tensor.dtype == torch.float32 else BF16_PITCH
    inner = tensor.stride()[1:]
    extent = sum((size - 1) * stride for size, stride in zip(tensor.shape[1:], inner, strict=True))
    storage = torch.empty(pitch * 8 + extent + 1, dtype=tensor.dtype, device="cuda")
    return storage.as_strided(tensor.shape, (pitch, *inner)).copy_(tensor)


@pytest.mark.parametrize("case", CASES)
def test_slots_past_2_to_the_31_elements(case: Callable[..., Any]) -> None:
    """A product in 32 bits wraps to another slot, or faults."""
    call, narrow = case([FAR, NEAR])
    wide = copied(narrow)
    for name in POOLS:
        if name in wide:
            wide[name] = widened(narrow[name])
    results = call(**narrow), call(**wide)
    for name in POOLS:
        if name in wide:
            assert torch.equal(wide[name], narrow[name]), name
    if isinstance(results[0], Tensor):
        assert torch.equal(*results)


def test_rings_past_2_to_the_31_elements() -> None:
    call, narrow = fold([FAR, NEAR])
    wide = copied(narrow)
    for name in ("rawv_cache", "gk_cache"):
        wide[name] = widened(narrow[name])
    call(**narrow)
    call(**wide)
    assert torch.equal(wide["checkpoint_state"], narrow["checkpoint_state"])


def test_layers_past_2_to_the_31_elements() -> None:
    pitch = 2**31 + 12_344
    a = ops.sample_fold_inputs(layers=2)
    wide = copied(a)
    shape, inner = a["checkpoint_state"].shape, a["checkpoint_state"].stride()[1:]
    storage = torch.empty(pitch + shape[1] * inner[0], device="cuda")
    wide["checkpoint_state"] = storage.as_strided(shape, (pitch, *inner))
    wide["checkpoint_state"].copy_(a["checkpoint_state"])
    ops.commit_kda_replayssm_spec_all_layers(**a)
    ops.commit_kda_replayssm_spec_all_layers(**wide)
    assert torch.equal(wide["checkpoint_state"], a["checkpoint_state"])


def test_tokens_past_2_to_the_31_elements() -> None:
    a = ops.sample_recurrent_inputs(lengths=[5])
    pitch = 2**29 + 24
    wide = copied(a)
    _, T, HV, V = a["v"].shape
    storage = torch.empty((T - 1) * pitch + HV * V, dtype=torch.bfloat16, device="cuda")
    wide["v"] = storage.as_strided((1, T, HV, V), (T * pitch, pitch, V, 1)).copy_(a["v"])
    out, state = ops.fused_recurrent_kda(**a)
    wide_out, wide_state = ops.fused_recurrent_kda(**wide)
    assert torch.equal(out, wide_out)
    assert state is not None
    assert wide_state is not None
    assert torch.equal(state, wide_state)


@pytest.mark.parametrize("requests", [192, 700])
def test_decode_in_more_programs_than_run_at_once(requests: int) -> None:
    """Windows are shifted in place: a late program must not read what an early one has shifted."""
    a = ops.sample_decode_inputs(requests=requests, heads=12, output_norm=True)
    few = copied(a)
    for name in ("x_q", "x_k", "x_v", "g", "beta", "onorm_gate"):
        few[name] = few[name][:, -4:]
    few["ssm_state_indices"] = few["ssm_state_indices"][-4:]
    expected = reference.kda_decode(**few)
    out = ops.kda_decode(**a)
    bound = 2**-8 * expected.out.abs() + 1e-5 * expected.out.abs().max()
    assert ((out[:, -4:].double() - expected.out).abs() <= bound).all()
    live = few["ssm_state_indices"].long()
    for stream in "qkv":
        expected_windows = getattr(expected, f"cs_{stream}")
        assert torch.equal(a[f"cs_{stream}"][live].double(), expected_windows[live])


def test_convolution_in_more_programs_than_run_at_once() -> None:
    a = ops.sample_conv_inputs(requests=600, channels=4608, tokens=2)
    expected, windows = reference.causal_conv1d_update(**a)
    out = ops.causal_conv1d_update(**a)
    assert ((out.double() - expected).abs() <= 2**-8 * expected.abs() + 1e-5).all()
    assert torch.equal(a["conv_state"].double(), windows)


@pytest.mark.parametrize("case", CASES)
def test_captured_graph_follows_changed_slots(case: Callable[..., Any]) -> None:
    """Replays read the slots of the day, padding among them, and equal eager calls bit for bit."""
    call, a = case([3, 0, 5])
    fresh = copied(a)
    call(**a)  # compiles
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        captured = call(**a)
    for slots in ([3, 0, 5], [7, -1, 2], [-1, -1, -1], [0, 8, 3]):
        eager = copied(fresh) | {"ssm_state_indices": indices(slots)}
        for name in POOLS:
            if name in a:
                a[name].copy_(fresh[name])
        a["ssm_state_indices"].copy_(indices(slots))
        graph.replay()
        result = call(**eager)
        for name in POOLS:
            if name in a:
                assert torch.equal(a[name], eager[name]), (name, slots)
        if isinstance(result, Tensor):
            assert torch.equal(captured, result), slots


@pytest.mark.parametrize("case", CASES)
def test_a_hundred_replays_agree_bit_for_bit(case: Callable[..., Any]) -> None:
    call, a = case([3, 0, 5, 1, -1, 7])
    fresh = copied(a)
    call(**a)
    pools = [name for name in POOLS if name in a]
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for name in pools:
            a[name].copy_(fresh[name])
        out = call(**a)
    graph.replay()
    first = {name: a[name].clone() for name in pools}
    first_out = out.clone() if isinstance(out, Tensor) else None
    for _ in range(100):
        graph.replay()
        assert all(torch.equal(a[name], first[name]) for name in pools)
        assert first_out is None or torch.equal(out, first_out)


@pytest.mark.parametrize("case", [decode, recur, fallback])
def test_a_request_does_not_depend_on_its_batch(case: Callable[..., Any]) -> None:
    """The first of 9 requests, bitwise equal to a call for it alone."""
    call, a = case(list(range(9)))
    alone = copied(a)
    length = int(a["cu_seqlens"][1]) if "cu_seqlens" in a else 1
    for name in ("x_q", "x_k", "x_v", "q", "k", "v", "g", "beta", "onorm_gate"):
        if name in alone:
            alone[name] = alone[name][:, :length]
    alone["ssm_state_indices"] = alone["ssm_state_indices"][:1]
    if "cu_seqlens" in alone:
        alone["cu_seqlens"] = alone["cu_seqlens"][:2]
    many, one = call(**a), call(**alone)
    many, one = (x[0] if isinstance(x, tuple) else x for x in (many, one))
    assert torch.equal(many[:, :length], one)
    for name in POOLS:
        if name in a:
            assert torch.equal(a[name][0], alone[name][0]), name
