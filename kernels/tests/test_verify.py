"""The verify kernel against its float64 reference and against itself."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from kda_kernels import (
    fused_kda_decode_mtp_dspark,
    reference_commit,
    sample_inputs,
    verify,
)
from kda_kernels.launch import Tile
from torch import Tensor
from verify_checks import (
    MODES,
    ROUNDING,
    Inputs,
    assert_close,
    assert_rounded,
    changed,
    run_and_check,
)

# N, T1, H; the interpreter takes some 20 ms for each product of the three.
SIZES = [(1, 1, 1), (2, 3, 1), (1, 4, 2), (1, 6, 1), (2, 9, 1)]
GPU_SIZES = [
    *((1, t, h) for t in (1, 2, 3, 4, 5, 6, 7, 8, 16) for h in (1, 12)),
    *((5, 4, h) for h in (1, 2, 3, 6, 24)),
    *((n, 8, 12) for n in (2, 7, 16, 33, 64)),
    *((64, 16, 3), (64, 3, 24), (17, 16, 24), (3, 9, 2), (5, 13, 3)),
]
UNSTREAMED_BOUND = -100.0
"""A decay that fp32 cannot divide by, so that calls with rings take the serial kernel too."""


def by_place(interpreter: list[Any], gpu: list[Any]) -> list[Any]:
    """Parameters of the interpreter, and more that only a GPU has the time for."""
    return [*interpreter, *(pytest.param(*value, marks=pytest.mark.gpu) for value in gpu)]


def bits(tensor: Tensor) -> Tensor:
    """The bytes, in which NaN equals itself."""
    return tensor.detach().clone().contiguous().view(torch.uint8)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("N", "T1", "H"), by_place(SIZES, GPU_SIZES))
def test_matches_reference(device: torch.device, mode: str, N: int, T1: int, H: int) -> None:
    run_and_check(
        sample_inputs(requests=N, tokens_per_request=T1, heads=H, device=device, **MODES[mode])
    )


@pytest.mark.parametrize("mode", MODES)
def test_reads_committed_state_only(device: torch.device, mode: str) -> None:
    inputs = sample_inputs(tokens_per_request=2, heads=1, device=device, **MODES[mode])
    before = {name: bits(v) for name, v in inputs.items() if isinstance(v, Tensor)}
    fused_kda_decode_mtp_dspark(**inputs)
    written = ("intermediate_ssm", "intermediate_conv", "replayssm")
    for name, value in before.items():
        assert name.startswith(written) or torch.equal(bits(inputs[name]), value), name


@pytest.mark.parametrize("rows", [16, 32, 64])
@pytest.mark.parametrize("rings", [False, True])
def test_tiles_of_a_head_share_the_work(
    device: torch.device, monkeypatch: pytest.MonkeyPatch, rows: int, rings: bool
) -> None:
    inputs = sample_inputs(requests=1, tokens_per_request=1, heads=1, rings=rings, device=device)
    inputs["lower_bound"] = UNSTREAMED_BOUND
    monkeypatch.setattr(verify, "verify_tile", lambda **_: Tile(rows, 4))
    run_and_check(inputs)


@pytest.mark.parametrize("mode", ["snapshots-norm", "rings-norm"])
def test_more_tokens_than_are_streamed(device: torch.device, mode: str) -> None:
    run_and_check(
        sample_inputs(requests=1, tokens_per_request=17, heads=1, device=device, **MODES[mode])
    )


@pytest.mark.parametrize("mode", MODES)
def test_strong_decay(device: torch.device, mode: str) -> None:
    inputs = sample_inputs(tokens_per_request=2, heads=1, device=device, **MODES[mode])
    inputs["lower_bound"] = UNSTREAMED_BOUND
    run_and_check(inputs)


@pytest.mark.parametrize("mode", MODES)
def test_padded_request_touches_nothing(device: torch.device, mode: str) -> None:
    inputs = sample_inputs(requests=3, tokens_per_request=2, heads=1, device=device, **MODES[mode])
    slot = int(inputs["ssm_state_indices"][1])
    row = int(inputs["intermediate_state_indices"][1])
    inputs["ssm_state_indices"][1] = -1
    written = {
        name: (slot if name.startswith("replayssm") else row)
        for name, value in inputs.items()
        if name.startswith(("replayssm", "intermediate_conv", "intermediate_ssm"))
        and isinstance(value, Tensor)
    }
    before = {name: bits(inputs[name][index]) for name, index in written.items()}
    out = run_and_check(inputs)
    assert not out[0, 2:4].any()
    for name, index in written.items():
        assert torch.equal(bits(inputs[name][index]), before[name]), name


@pytest.mark.parametrize(
    "offsets",
    [
        [0, 1, 1, 3],  # a short and an empty request, tokens after the last one
        [0, 4, 4, 6],  # a long request, whose tail is not computed
        [2, 4, 5, 6],  # tokens before the first request
        [0, 0, 0, 0],  # nothing at all
    ],
    ids=str,
)
@pytest.mark.parametrize("mode", ["snapshots", "rings-norm"])
def test_uneven_requests_are_defined(device: torch.device, mode: str, offsets: list[int]) -> None:
    inputs = sample_inputs(requests=3, tokens_per_request=2, heads=1, device=device, **MODES[mode])
    inputs = changed(inputs, cu_seqlens=offsets)
    run_and_check(inputs)
    for n, row in enumerate(inputs["intermediate_state_indices"].tolist()):
        length = min(offsets[n + 1] - offsets[n], 2)
        for stream in "qkv":
            assert inputs[f"intermediate_conv_{stream}"][row, length:].isnan().all()


def test_offsets_outside_the_tokens_are_clipped(device: torch.device) -> None:
    inputs = sample_inputs(requests=2, tokens_per_request=2, heads=1, device=device)
    out = fused_kda_decode_mtp_dspark(**changed(inputs, cu_seqlens=[0, 2, 9]))
    assert torch.equal(out, fused_kda_decode_mtp_dspark(**inputs))
    out = fused_kda_decode_mtp_dspark(**changed(inputs, cu_seqlens=[-7, -5, -3]))
    assert not out.any()


def test_slot_outside_the_pool_is_padding(device: torch.device) -> None:
    inputs = sample_inputs(requests=2, tokens_per_request=1, heads=1, device=device)
    inputs["ssm_state_indices"][0] = inputs["recurrent_state"].shape[0]
    out = fused_kda_decode_mtp_dspark(**inputs)
    assert not out[0, 0].any()
    assert out[0, 1].any()


@pytest.mark.parametrize("row", [-1, 2])
def test_row_outside_the_scratch_is_not_written(device: torch.device, row: int) -> None:
    inputs = sample_inputs(requests=1, tokens_per_request=1, heads=1, device=device)
    expected = fused_kda_decode_mtp_dspark(**changed(inputs))
    inputs["intermediate_state_indices"][0] = row
    assert torch.equal(fused_kda_decode_mtp_dspark(**inputs), expected)
    assert inputs["intermediate_ssm"].isnan().all()
    assert inputs["intermediate_conv_v"].isnan().all()


@pytest.mark.parametrize("mode", ["snapshots-norm", "rings"])
def test_layouts_do_not_change_the_result(device: torch.device, mode: str) -> None:
    inputs = sample_inputs(requests=2, tokens_per_request=2, heads=2, device=device, **MODES[mode])
    plain = {n: v.contiguous() if isinstance(v, Tensor) else v for n, v in inputs.items()}
    plain = changed(plain)
    strided = changed(inputs)
    for name in ("x_q", "x_k", "x_v", "g", "onorm_gate"):
        if name in strided:  # heads before tokens
            strided[name] = strided[name].transpose(1, 2).contiguous().transpose(1, 2)
    for name in ("ssm_state_indices", "intermediate_state_indices", "cu_seqlens", "beta"):
        strided[name] = strided[name].repeat_interleave(3, dim=-1)[..., ::3]
    for stream in "qkv":  # channels last in the scratch, taps first
        name = f"intermediate_conv_{stream}"
        strided[name] = strided[name].mT.contiguous().mT
    for name in ("recurrent_state", "intermediate_ssm", "replayssm_rawk", "replayssm_beta"):
        if isinstance(strided.get(name), Tensor):  # an odd pitch between slots or rows
            strided[name] = padded(strided[name], 20)
    expected = fused_kda_decode_mtp_dspark(**plain)
    actual = fused_kda_decode_mtp_dspark(**strided)
    assert_same_call(strided, actual, plain, expected)


def assert_same_call(actual: Inputs, out: Tensor, expected: Inputs, expected_out: Tensor) -> None:
    """Two calls with equal values in other layouts left the same behind.

    Triton compiles anew for strides of another divisibility, and wider or narrower accesses spread
    a state over the threads in another way, so that fp32 sums over its keys add in another order.
    What follows from such sums (snapshots, outputs) agrees to some fp32 roundings, and a bf16
    output also where these tip its rounding. All else agrees bit for bit: inputs, windows, rings,
    and what stays NaN because nobody writes it.
    """
    # Each output rounds for itself, and few lie so near an edge that the two round apart.
    bound = 2 * ROUNDING * expected_out.double().abs() + 1e-6 * expected_out.abs().max()
    assert ((out.double() - expected_out.double()).abs() <= bound).all()
    assert (out != expected_out).double().mean() <= 0.01
    for name, value in expected.items():
        if not isinstance(value, Tensor):
            continue
        if name == "intermediate_ssm":
            written = ~value.isnan()
            assert torch.equal(~actual[name].isnan(), written), name
            assert_close(actual[name][written], value[written], 1e-6)
        else:
            assert torch.equal(bits(actual[name]), bits(value)), name


def padded(tensor: Tensor, elements: int) -> Tensor:
    """The same values with NaN between the entries of the first dimension."""
    size = tensor[0].numel()
    pool = tensor.new_full((tensor.shape[0], size + elements), torch.nan)
    return pool[:, :size].view(tensor.shape).copy_(tensor)


@pytest.mark.gpu
@pytest.mark.parametrize("mode", ["snapshots", "rings"])
def test_pitches_past_32_bits(device: torch.device, mode: str) -> None:
    inputs = sample_inputs(
        requests=2, tokens_per_request=2, heads=2, device=device, pool_slots=9, **MODES[mode]
    )
    inputs = changed(inputs, ssm_state_indices=[8, 3], intermediate_state_indices=[2, 0])
    far = changed(inputs)
    for name, pitch in {
        "recurrent_state": 2**28 + 12344,
        "replayssm_rawv": 2**28 + 23448,
        "replayssm_g": 2**28 + 12344,
        "intermediate_ssm": 2**30 + 12344,
        "intermediate_conv_q": 2**30 + 23448,
        "intermediate_conv_v": 2**30 + 23448,
    }.items():
        if isinstance(far.get(name), Tensor):
            far[name] = padded(inputs[name], pitch)
    for name in ("cs_k", "cs_v"):
        far[name] = padded(inputs[name].mT.contiguous(), 2**28 + 23448).mT
    expected = fused_kda_decode_mtp_dspark(**inputs)
    assert_same_call(far, fused_kda_decode_mtp_dspark(**far), inputs, expected)


@pytest.mark.gpu
@pytest.mark.parametrize("mode", ["snapshots", "rings"])
def test_steps_past_32_bits(device: torch.device, mode: str) -> None:
    """The fourth step of a window's scratch is further off than a 32-bit product reaches."""
    inputs = sample_inputs(tokens_per_request=4, heads=1, device=device, **MODES[mode])
    far = changed(inputs)
    for name in ("intermediate_conv_q", "intermediate_conv_v"):
        steps_first = padded(inputs[name].transpose(0, 1).contiguous(), 2**30 + 8)
        far[name] = steps_first.transpose(0, 1)
    expected = fused_kda_decode_mtp_dspark(**inputs)
    assert_same_call(far, fused_kda_decode_mtp_dspark(**far), inputs, expected)


def test_block_equals_single_tokens(device: torch.device) -> None:
    T1 = 3
    block = sample_inputs(requests=2, tokens_per_request=T1, heads=1, device=device)
    block_out = fused_kda_decode_mtp_dspark(**block)
    rows = block["intermediate_state_indices"].long()
    slots = block["ssm_state_indices"].long()

    step = changed(block, cu_seqlens=[0, 1, 2])
    for t in range(T1):
        for name in ("x_q", "x_k", "x_v", "g", "beta"):
            step[name] = block[name][:, t::T1]
        out = fused_kda_decode_mtp_dspark(**step)
        assert torch.equal(out, block_out[:, t::T1])
        assert_close(step["intermediate_ssm"][rows, 0], block["intermediate_ssm"][rows, t], 1e-6)
        step["recurrent_state"][slots] = step["intermediate_ssm"][rows, 0]
        for stream in "qkv":
            window = step[f"intermediate_conv_{stream}"][rows, 0]
            assert torch.equal(window, block[f"intermediate_conv_{stream}"][rows, t])
            step[f"cs_{stream}"][slots] = window


def test_fold_of_the_rings_equals_the_snapshots(device: torch.device) -> None:
    T1 = 3
    rings = sample_inputs(requests=2, tokens_per_request=T1, heads=1, rings=True, device=device)
    snapshots = sample_inputs(requests=2, tokens_per_request=T1, heads=1, device=device)
    snapshots |= {n: v for n, v in rings.items() if n in snapshots and n != "intermediate_ssm"}
    rings_out = fused_kda_decode_mtp_dspark(**rings)
    snapshots_out = fused_kda_decode_mtp_dspark(**snapshots, round_conv=True)
    assert_rounded(rings_out, snapshots_out.double(), ROUNDING)
    slots = rings["ssm_state_indices"].long()
    rows = rings["intermediate_state_indices"].long()
    for accepted in range(1, T1 + 1):
        pool = reference_commit.commit_kda_replayssm_spec(
            checkpoint_state=rings["recurrent_state"],
            rawv_cache=rings["replayssm_rawv"],
            rawk_cache=rings["replayssm_rawk"],
            gk_cache=rings["replayssm_g"],
            beta_cache=rings["replayssm_beta"],
            ssm_state_indices=rings["ssm_state_indices"],
            accept_lens=torch.full_like(rings["ssm_state_indices"], accepted),
        )
        assert_close(snapshots["intermediate_ssm"][rows, accepted - 1], pool[slots], 1e-6)


def test_convolution_is_rounded_with_rings_only(device: torch.device) -> None:
    inputs = sample_inputs(requests=1, tokens_per_request=1, heads=1, device=device)
    states = {}
    for round_conv in (None, False, True):
        call = changed(inputs)
        fused_kda_decode_mtp_dspark(**call, round_conv=round_conv)
        states[round_conv] = call["intermediate_ssm"][call["intermediate_state_indices"].long()]
    assert torch.equal(states[None], states[False])
    assert not torch.equal(states[False], states[True])
    assert_close(states[True], states[False], 5e-3)


@pytest.mark.parametrize("mode", ["snapshots-norm", "rings"])
def test_a_request_does_not_see_its_batch(device: torch.device, mode: str) -> None:
    batch = sample_inputs(requests=3, tokens_per_request=2, heads=1, device=device, **MODES[mode])
    alone = changed(batch, cu_seqlens=[0, 2])
    for name in ("x_q", "x_k", "x_v", "g", "beta", "onorm_gate"):
        if name in alone:
            alone[name] = alone[name][:, 2:4]
    for name in ("ssm_state_indices", "intermediate_state_indices"):
        alone[name] = alone[name][1:2]
    expected = fused_kda_decode_mtp_dspark(**alone)

    # The first request is NaN throughout: inputs, window and state.
    for name in ("x_q", "x_k", "x_v", "g", "beta"):
        batch[name][:, :2] = torch.nan
    slot = int(batch["ssm_state_indices"][0])
    for name in ("recurrent_state", "cs_q", "cs_k", "cs_v"):
        batch[name][slot] = torch.nan
    out = fused_kda_decode_mtp_dspark(**batch)
    assert out[:, :2].isnan().all()
    assert not out[:, 2:].isnan().any()
    assert torch.equal(out[:, 2:4], expected)
    row, slot = int(alone["intermediate_state_indices"]), int(alone["ssm_state_indices"])
    for name in ("intermediate_ssm", "intermediate_conv_v"):
        if isinstance(batch[name], Tensor):
            assert torch.equal(batch[name][row], alone[name][row])
    if "replayssm_g" in batch:
        assert torch.equal(bits(batch["replayssm_rawv"][slot]), bits(alone["replayssm_rawv"][slot]))


def test_extreme_gates_and_empty_keys(device: torch.device) -> None:
    inputs = sample_inputs(requests=1, tokens_per_request=2, heads=2, device=device)
    inputs["g"][0, 0, 0] = torch.inf
    inputs["g"][0, 0, 1] = -torch.inf
    inputs["x_k"][0, :, 1] = 0
    inputs["cs_k"][:, 128:] = 0
    inputs["beta"][0, 0] = torch.tensor([torch.inf, -torch.inf])
    run_and_check(inputs)


def test_no_heads_is_an_empty_output(device: torch.device) -> None:
    inputs = sample_inputs(requests=2, tokens_per_request=2, heads=0, device=device)
    assert fused_kda_decode_mtp_dspark(**inputs).shape == (1, 4, 0, 128)


def test_output_is_new_and_laid_out_like_x_v(device: torch.device) -> None:
    inputs = sample_inputs(requests=2, tokens_per_request=1, heads=2, device=device)
    inputs["x_v"] = inputs["x_v"].transpose(1, 2).contiguous().transpose(1, 2)
    first = fused_kda_decode_mtp_dspark(**inputs)
    second = fused_kda_decode_mtp_dspark(**inputs)
    assert first.stride() == inputs["x_v"].stride()
    assert first.dtype == torch.bfloat16
    assert first.data_ptr() != second.data_ptr()
    assert torch.equal(first, second)


@pytest.mark.gpu
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("T1", [4, 8, 16])
def test_graph_replays_equal_eager(device: torch.device, mode: str, T1: int) -> None:
    inputs = sample_inputs(requests=5, tokens_per_request=T1, heads=3, device=device, **MODES[mode])
    inputs["ssm_state_indices"][3] = -1
    eager = changed(inputs)
    expected = fused_kda_decode_mtp_dspark(**eager)
    fused_kda_decode_mtp_dspark(**changed(inputs))
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        out = fused_kda_decode_mtp_dspark(**inputs)
    for _ in range(100):
        out.fill_(torch.nan)
        graph.replay()
        assert torch.equal(out, expected)
    for name, value in eager.items():
        if isinstance(value, Tensor):
            assert torch.equal(bits(inputs[name]), bits(value)), name
