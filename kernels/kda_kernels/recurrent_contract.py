"""What the recurrence demands of its arguments; three messages are fla's (fla-core 0.6.0).

fla's `fused_recurrent_kda` checks no shape: there, a wrong one reads out of bounds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from kda_kernels import input_contract, memory_contract
from kda_kernels.commit_contract import check_dense_inside
from kda_kernels.errors import ContractError, DeviceContractError
from kda_kernels.shared_contract import (
    check_float_dtypes,
    check_head_dims,
    check_head_groups,
    check_offsets,
    check_one_device,
    check_request_vectors,
)


class Sizes(NamedTuple):
    """Requests, tokens in all or per request, key heads, value heads, head dims."""

    N: int
    T: int
    H: int
    HV: int
    K: int
    V: int


class GateFlags(NamedTuple):
    """How g and beta are to be read."""

    use_gate: bool
    use_sigmoid: bool
    allow_neg_eigval: bool
    lower_bound: float | None


def check_token_tensors(named: Sequence[tuple[str, Tensor]], cu_seqlens: Tensor | None) -> Sizes:
    """Check q, k [B, T, H, K], v [B, T, HV, V], g [B, T, HV, K] and beta [B, T, HV], in this order.

    Raises:
        ContractError: a shape is wrong, or offsets come with more than one batch row.
    """
    (q_name, q), (k_name, k), (v_name, v) = named[:3]
    if q.ndim != 4 or k.shape != q.shape or v.ndim != 4:
        shapes = f"{tuple(q.shape)}, {tuple(k.shape)} and {tuple(v.shape)}"
        raise ContractError(
            "EKB3824",
            f"expected {q_name} and {k_name} as [B, T, H, K] and {v_name} as [B, T, HV, V], "
            f"got {shapes}",
        )
    B, T, H, K = q.shape
    HV, V = v.shape[2:]
    shape_of_q = tuple(q.shape)
    for (name, tensor), want in zip(
        named[2:], ((B, T, HV, V), (B, T, HV, K), (B, T, HV)), strict=True
    ):
        if tensor.shape != want:
            shape = tuple(tensor.shape)
            raise ContractError(
                "EKB4845",
                f"expected {name} of shape {want} beside {q_name} {shape_of_q}, got {shape}",
            )
    check_head_dims(K, V)
    check_head_groups(H, HV)
    if cu_seqlens is None:
        return Sizes(B, T, H, HV, K, V)
    check_offsets(cu_seqlens)
    if B != 1:
        raise ContractError(
            "EKB5645",
            f"The batch size is expected to be 1 rather than {B} when using `cu_seqlens`."
            "Please flatten variable-length inputs before processing.",
        )
    return Sizes(cu_seqlens.numel() - 1, T, H, HV, K, V)


def check_state_argument(name: str, state: Tensor, sizes: Sizes, state_v_first: bool) -> None:
    """Check a state or pool, [*, HV, K, V] or, V-first, [*, HV, V, K]; fp32, dense inside a slot.

    Raises:
        ContractError: shape, dtype or inner layout is wrong.
    """
    K, V, HV = sizes.K, sizes.V, sizes.HV
    inner = (HV, V, K) if state_v_first else (HV, K, V)
    if state.ndim != 4 or state.shape[1:] != inner or state.dtype != torch.float32:
        order = "[V, K]" if state_v_first else "[K, V]"
        dtype, shape = state.dtype, tuple(state.shape)
        raise ContractError(
            "EKB9379",
            f"expected {name} as [*, {HV}] of {order} with K={K}, V={V} in torch.float32, "
            f"got {dtype} of shape {shape}",
        )
    check_dense_inside(name, state, 3)


def check_state_count(states: int, N: int) -> None:
    """Check that every request has its initial state.

    Raises:
        ContractError: the counts differ.
    """
    if states != N:
        raise ContractError(
            "EKB7491",
            "The number of initial states is expected to be equal to the number of input "
            f"sequences, i.e., {N} rather than {states}.",
        )


def check_gate_flags(flags: GateFlags, A_log: Tensor | None, dt_bias: Tensor | None) -> None:
    """Check that the gate's arguments agree with the flags.

    Raises:
        ContractError: a parameter would be ignored, or one that is needed is missing.
    """
    given = {"A_log": A_log, "dt_bias": dt_bias, "lower_bound": flags.lower_bound}
    unused = [name for name, value in given.items() if value is not None]
    if not flags.use_gate and unused:
        names = " and ".join(unused)
        raise ContractError(
            "EKB0245",
            f"expected use_gate_in_kernel=True beside {names}: without it g is the log decay "
            "itself, and they would be ignored",
        )
    if flags.use_gate and A_log is None and flags.lower_bound is None:
        raise ContractError(
            "EKB0204",
            "`A_log` must be provided when `use_gate_in_kernel=True` and `lower_bound` is not set.",
        )
    if flags.allow_neg_eigval and not flags.use_sigmoid:
        raise ContractError(
            "EKB6445", "`allow_neg_eigval=True` requires `use_beta_sigmoid_in_kernel=True`."
        )


def check_gate_tensors(A_log: Tensor | None, dt_bias: Tensor | None, HV: int, K: int) -> None:
    """Check A_log [HV] and dt_bias [HV * K], fp32 and contiguous, as far as they are given.

    Raises:
        ContractError: shape, dtype or layout is wrong.
    """
    named = []
    for name, tensor, numel in (("A_log", A_log, HV), ("dt_bias", dt_bias, HV * K)):
        if tensor is None:
            continue
        if tensor.shape != (numel,):
            shape = tuple(tensor.shape)
            raise ContractError(
                "EKB6260",
                f"expected {name} of shape ({numel},) for {HV} value heads of key dim {K}, "
                f"got {shape}",
            )
        named.append((name, tensor))
    input_contract.check_parameter_dtypes(named)
    memory_contract.check_parameter_layout(named)


def check_slots_have_pool(initial_state: Tensor | None) -> None:
    """Check that slots come with the pool that they index.

    Raises:
        ContractError: there is no pool.
    """
    if initial_state is None:
        raise ContractError(
            "EKB9748", "expected the state pool as initial_state beside ssm_state_indices, got None"
        )


def check_recurrent(
    named: Sequence[tuple[str, Tensor]],
    extra: Sequence[tuple[str, Tensor | None]],
    cu_seqlens: Tensor | None,
    initial_state: Tensor | None,
    ssm_state_indices: Tensor | None,
    *,
    state_v_first: bool,
) -> Sizes:
    """Make the checks of `fused_recurrent_kda` that read no device memory.

    Args:
        named: q, k, v, g and beta.
        extra: the other tensors of the call, for the checks of device and gradient.

    Raises:
        ContractError: an argument breaks the contract.
    """
    sizes = check_token_tensors(named, cu_seqlens)
    check_float_dtypes(named)
    memory_contract.check_row_layout(named[:4])
    if initial_state is not None:
        check_state_argument("initial_state", initial_state, sizes, state_v_first)
    if ssm_state_indices is not None:
        check_slots_have_pool(initial_state)
        check_request_vectors((("ssm_state_indices", ssm_state_indices),), sizes.N)
    elif initial_state is not None:
        check_state_count(initial_state.shape[0], sizes.N)
    everything = [*named, *((name, t) for name, t in extra if t is not None)]
    check_one_device(everything)
    memory_contract.check_gradients([t for _, t in everything], [name for name, _ in everything])
    return sizes


def check_request_lengths(cu_seqlens: Tensor, held: int) -> None:
    """Check on the host that the scratch has a step for every token of every request.

    Raises:
        DeviceContractError: a request is longer.
    """
    for request, length in enumerate(cu_seqlens.diff().tolist()):
        if length > held:
            raise DeviceContractError(
                "EKB5480",
                f"expected at most {held} tokens in a request, one per step of the scratch; "
                f"got {length} in request {request}",
            )
