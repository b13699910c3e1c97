"""The recurrence over ragged requests against its float64 reference."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from kda_kernels import recurrent, reference_recurrent
from kda_kernels.errors import ContractError, DeviceContractError
from torch import Tensor

NAN = float("nan")


def arguments(
    device: torch.device,
    lengths: list[int],
    *,
    heads: tuple[int, int] = (1, 2),
    dims: tuple[int, int] = (128, 64),
    v_first: bool = False,
    dtype: torch.dtype = torch.bfloat16,
) -> dict[str, Any]:
    """A call in which g is log decay and beta the write strength; K != V, two value heads a key."""
    (H, HV), (K, V), T, N = heads, dims, sum(lengths), len(lengths)
    return {
        "q": torch.randn(1, T, H, K).to(device, dtype),
        "k": torch.randn(1, T, H, K).to(device, dtype),
        "v": torch.randn(1, T, HV, V).to(device, dtype),
        "g": (-5 * torch.rand(1, T, HV, K)).to(device),
        "beta": torch.rand(1, T, HV).to(device, dtype),
        "initial_state": torch.randn(N, HV, *((V, K) if v_first else (K, V))).to(device),
        "output_final_state": True,
        "use_qk_l2norm_in_kernel": True,
        "state_v_first": v_first,
        "cu_seqlens": torch.tensor([0, *torch.tensor(lengths).cumsum(0).tolist()], device=device),
    }


def assert_matches(a: dict[str, Any]) -> tuple[Tensor, Tensor | None]:
    """Run op and reference: output to a rounding of its dtype, state to fp32 roundings."""
    expected, expected_state = reference_recurrent.fused_recurrent_kda(**a)
    out, state = recurrent.fused_recurrent_kda(**a)
    assert out.dtype == a["v"].dtype
    largest = expected.abs().max() if expected.numel() else 0.0
    rounding = {torch.bfloat16: 2**-8, torch.float16: 2**-10, torch.float32: 1e-6}[out.dtype]
    assert ((out.double() - expected).abs() <= rounding * expected.abs() + 5e-6 * largest).all()
    if expected_state is not None:
        assert state is not None
        error = (state.double() - expected_state).abs().max().item()
        assert error <= 2e-6 * expected_state.abs().max().item()
    return out, state


@pytest.mark.parametrize("v_first", [False, True], ids=["K-first", "V-first"])
@pytest.mark.parametrize("dims", [(128, 64), (64, 128), (64, 256), (256, 64)], ids=str)
def test_state_order_with_unequal_head_dims(
    device: torch.device, dims: tuple[int, int], v_first: bool
) -> None:
    """The states are random and K != V: a transposed reading cannot pass."""
    assert_matches(arguments(device, [2], dims=dims, v_first=v_first))


def test_square_states_are_not_read_transposed(device: torch.device) -> None:
    """K == V hides the order from the shapes; the numbers tell."""
    a = arguments(device, [2], dims=(64, 64))
    _, k_first = assert_matches(a)
    _, v_first = assert_matches(a | {"state_v_first": True})
    assert k_first is not None
    assert v_first is not None
    assert (k_first - v_first).abs().max() > 0.1


@pytest.mark.parametrize("lengths", [[0], [0, 3], [3, 0, 0, 1], [1, 2, 0]], ids=str)
def test_lengths_of_zero_one_and_more(device: torch.device, lengths: list[int]) -> None:
    a = arguments(device, lengths)
    _, state = assert_matches(a)
    assert state is not None
    empty = [n for n, length in enumerate(lengths) if length == 0]
    assert torch.equal(state[empty], a["initial_state"][empty])


def test_batch_without_offsets(device: torch.device) -> None:
    a = arguments(device, [2, 2])
    for name in ("q", "k", "v", "g", "beta"):
        a[name] = a[name].unflatten(1, (2, 2)).squeeze(0)
    a["cu_seqlens"] = None
    assert_matches(a)


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.bfloat16], ids=str)
def test_without_state_in_or_out(device: torch.device, dtype: torch.dtype) -> None:
    a = arguments(device, [1, 2], dtype=dtype)
    assert_matches(a | {"initial_state": None, "output_final_state": False})


@pytest.mark.parametrize("gate", ["safe", "softplus", "safe without rate", "no bias"])
def test_gate_in_kernel(device: torch.device, gate: str) -> None:
    a = arguments(device, [2, 1])
    a |= {
        "g": torch.randn(a["g"].shape).to(device, torch.bfloat16),
        "beta": torch.randn(a["beta"].shape).to(device, torch.bfloat16),
        "A_log": torch.randn(2).to(device),
        "dt_bias": torch.randn(2 * 128).to(device),
        "use_gate_in_kernel": True,
        "use_beta_sigmoid_in_kernel": True,
        "lower_bound": None if gate == "softplus" else -5.0,
    }
    if gate == "safe without rate":
        a["A_log"] = None
    if gate == "no bias":
        a["dt_bias"] = None
    assert_matches(a)


def test_negative_eigenvalues(device: torch.device) -> None:
    flags = {"use_beta_sigmoid_in_kernel": True, "allow_neg_eigval": True}
    assert_matches(arguments(device, [2]) | flags)


def test_raw_keys_and_scale(device: torch.device) -> None:
    a = arguments(device, [2]) | {"use_qk_l2norm_in_kernel": False, "scale": 0.5}
    a["k"] = torch.nn.functional.normalize(a["k"].float(), dim=-1).bfloat16()
    assert_matches(a)


def test_column_slices_of_one_projection(device: torch.device) -> None:
    """q, k and g as slices of a wider tensor, and a g whose head stride is not K."""
    a = arguments(device, [2, 1], heads=(2, 2), dims=(64, 64))
    packed = torch.randn(1, 3, 2, 256, device=device).bfloat16()
    a["q"], a["k"] = packed[..., :64], packed[..., 64:128]
    wide = torch.full((1, 3, 2, 100), NAN, device=device)
    wide[..., 8:72] = a["g"]
    a["g"] = wide[..., 8:72]
    strided = torch.full((1, 3, 2, 3), NAN, device=device)
    strided[..., 1] = a["beta"]
    a["beta"] = strided[..., 1]
    assert_matches(a)


@pytest.mark.parametrize("v_first", [False, True], ids=["K-first", "V-first"])
def test_pool_slots_are_updated_in_place(device: torch.device, v_first: bool) -> None:
    """Odd pitch, permuted and strided slots, padding, NaN everywhere else."""
    a = arguments(device, [2, 1, 1, 0], v_first=v_first)
    states = a["initial_state"]
    inner = states[0].numel()
    storage = torch.full((6, inner + 12), NAN, device=device)
    pool = storage[:, :inner].view(6, *states.shape[1:])
    table = torch.tensor([[4, 9], [-1, 9], [0, 9], [2, 9]], device=device)
    pool[4], pool[0], pool[2] = states[0], states[2], states[3]
    a |= {"initial_state": pool, "ssm_state_indices": table[:, 0]}

    out, state = assert_matches_in_pool(a, [4, 0, 2])
    assert state is pool
    assert torch.equal(out[0, 2], torch.zeros_like(out[0, 2]))
    assert pool[[1, 3, 5]].isnan().all()
    assert storage[:, inner:].isnan().all()


def assert_matches_in_pool(a: dict[str, Any], live: list[int]) -> tuple[Tensor, Tensor | None]:
    """As `assert_matches`, for the live slots of a pool that holds NaN elsewhere."""
    expected, expected_pool = reference_recurrent.fused_recurrent_kda(**a)
    assert expected_pool is not None
    out, state = recurrent.fused_recurrent_kda(**a)
    assert state is not None
    assert ((out.double() - expected).abs() <= 2**-8 * expected.abs() + 1e-5).all()
    error = (state[live].double() - expected_pool[live]).abs().max().item()
    assert error <= 2e-6 * expected_pool[live].abs().max().item()
    return out, state


def test_slots_past_the_pool_are_not_followed(device: torch.device) -> None:
    a = arguments(device, [1, 1])
    a["ssm_state_indices"] = torch.tensor([2, 1], device=device)
    before = a["initial_state"].clone()
    out, _ = recurrent.fused_recurrent_kda(**a)
    assert torch.equal(out[0, 0], torch.zeros_like(out[0, 0]))
    assert torch.equal(a["initial_state"][0], before[0])


def test_no_nan_leaks_between_requests(device: torch.device) -> None:
    a = arguments(device, [2, 2])
    clean = recurrent.fused_recurrent_kda(**a)
    for name in ("q", "k", "v", "g", "beta"):
        a[name][:, :2] = NAN
    a["initial_state"][0] = NAN
    out, state = recurrent.fused_recurrent_kda(**a)
    assert clean[1] is not None
    assert state is not None
    assert torch.equal(out[:, 2:], clean[0][:, 2:])
    assert torch.equal(state[1], clean[1][1])


def test_a_request_recurs_alike_alone_and_in_a_batch(device: torch.device) -> None:
    a = arguments(device, [1, 2, 1])
    out, state = recurrent.fused_recurrent_kda(**a)
    alone = dict(a)
    for name in ("q", "k", "v", "g", "beta"):
        alone[name] = a[name][:, 1:3]
    alone["initial_state"] = a["initial_state"][1:2]
    alone["cu_seqlens"] = torch.tensor([0, 2], device=device)
    single_out, single_state = recurrent.fused_recurrent_kda(**alone)
    assert state is not None
    assert single_state is not None
    assert torch.equal(out[:, 1:3], single_out)
    assert torch.equal(state[1], single_state[0])


def test_one_call_equals_token_by_token(device: torch.device) -> None:
    a = arguments(device, [3])
    out, state = recurrent.fused_recurrent_kda(**a)
    steps, carried = [], a["initial_state"]
    for t in range(3):
        one = {name: a[name][:, t : t + 1] for name in ("q", "k", "v", "g", "beta")}
        offsets = torch.tensor([0, 1], device=device)
        step, carried = recurrent.fused_recurrent_kda(
            **a | one | {"initial_state": carried, "cu_seqlens": offsets}
        )
        steps.append(step)
    assert state is not None
    assert torch.equal(torch.cat(steps, dim=1), out)
    assert torch.equal(carried, state)


def test_offsets_outside_the_tokens_stay_inside(device: torch.device) -> None:
    """Offsets are not read on the host: the kernel clamps them and zeroes rows of no request."""
    a = arguments(device, [1, 1])
    a["cu_seqlens"] = torch.tensor([1, 1, 9], device=device)
    out, _ = recurrent.fused_recurrent_kda(**a)
    assert torch.equal(out[0, 0], torch.zeros_like(out[0, 0]))
    assert out.isfinite().all()


FAULTS: dict[str, tuple[str, Callable[[dict[str, Any]], Any]]] = {
    "flat q": ("EKB3824", lambda a: a.update(q=a["q"].flatten(2))),
    "keys per value head": ("EKB3824", lambda a: a.update(k=a["k"].repeat(1, 1, 2, 1))),
    "one gate per head": ("EKB4845", lambda a: a.update(g=a["g"][..., 0])),
    "beta per value": ("EKB4845", lambda a: a.update(beta=a["beta"][..., None])),
    "head dim 96": (
        "EKB0909",
        lambda a: a.update(v=a["v"].new_zeros(1, 3, 2, 96)),
    ),
    "heads that do not divide": (
        "EKB2917",
        lambda a: a.update(q=a["q"].repeat(1, 1, 3, 1), k=a["k"].repeat(1, 1, 3, 1)),
    ),
    "offsets of two rows": (
        "EKB5645",
        lambda a: a.update(
            {n: a[n].repeat(2, *[1] * (a[n].ndim - 1)) for n in ("q", "k", "v", "g", "beta")}
        ),
    ),
    "float offsets": ("EKB3580", lambda a: a.update(cu_seqlens=a["cu_seqlens"].float())),
    "double precision": ("EKB2173", lambda a: a.update(beta=a["beta"].double())),
    "channels apart": (
        "EKB6018",
        lambda a: a.update(v=a["v"].transpose(2, 3).contiguous().transpose(2, 3)),
    ),
    "other state order": (
        "EKB9379",
        lambda a: a.update(initial_state=a["initial_state"].transpose(2, 3)),
    ),
    "bf16 state": ("EKB9379", lambda a: a.update(initial_state=a["initial_state"].bfloat16())),
    "transposed view": (
        "EKB7645",
        lambda a: a.update(initial_state=a["initial_state"].mT.contiguous().mT),
    ),
    "a state too many": (
        "EKB7491",
        lambda a: a.update(initial_state=a["initial_state"].new_zeros(3, 2, 128, 64)),
    ),
    "slots without pool": (
        "EKB9748",
        lambda a: a.update(ssm_state_indices=a["cu_seqlens"][:2], initial_state=None),
    ),
    "slot per token": (
        "EKB5220",
        lambda a: a.update(ssm_state_indices=torch.zeros_like(a["cu_seqlens"])),
    ),
    "bound without gate": ("EKB0245", lambda a: a.update(lower_bound=-5.0)),
    "softplus without rate": ("EKB0204", lambda a: a.update(use_gate_in_kernel=True)),
    "doubled strength": ("EKB6445", lambda a: a.update(allow_neg_eigval=True)),
    "bias per head": (
        "EKB6260",
        lambda a: a.update(
            use_gate_in_kernel=True, lower_bound=-5.0, dt_bias=a["initial_state"].new_zeros(2)
        ),
    ),
    "positive bound": (
        "EKB7583",
        lambda a: a.update(use_gate_in_kernel=True, lower_bound=5.0),
    ),
    "state elsewhere": (
        "EKB0597",
        lambda a: a.update(initial_state=a["initial_state"].to("meta")),
    ),
    "gradient": ("EKB0617", lambda a: a["g"].requires_grad_()),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_rejects(device: torch.device, fault: str) -> None:
    code, spoil = FAULTS[fault]
    a = arguments(device, [2, 1])
    spoil(a)
    with pytest.raises(ContractError) as raised:
        recurrent.fused_recurrent_kda(**a)
    assert raised.value.code == code


@pytest.mark.parametrize(
    ("offsets", "slots", "code"),
    [
        ([0, 2, 3], [1, 1], "EKB7370"),
        ([0, 2, 3], [0, 2], "EKB7287"),
        ([0, 4, 3], [0, 1], "EKB4252"),
        ([0, 2, 2], [0, 1], "EKB9874"),
        ([1, 2, 3], [0, 1], "EKB8949"),
    ],
)
def test_values_are_checked_on_request(
    device: torch.device, offsets: list[int], slots: list[int], code: str
) -> None:
    a = arguments(device, [2, 1])
    a["cu_seqlens"] = torch.tensor(offsets, device=device)
    a["ssm_state_indices"] = torch.tensor(slots, device=device)
    with pytest.raises(DeviceContractError) as raised:
        recurrent.fused_recurrent_kda(**a, validate="device")
    assert raised.value.code == code
