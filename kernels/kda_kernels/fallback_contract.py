"""What `kda_decode_fallback` demands of its arguments."""

from __future__ import annotations

from typing import NamedTuple

from torch import Tensor

from kda_kernels import contract, device_contract, input_contract, memory_contract
from kda_kernels.commit_contract import (
    Rings,
    check_dense_inside,
    check_ring_set,
    check_rollback_pair,
    check_snapshot_source,
    check_source,
)
from kda_kernels.errors import ContractError
from kda_kernels.recurrent_contract import (
    Sizes,
    check_gate_tensors,
    check_request_lengths,
    check_state_argument,
    check_token_tensors,
)
from kda_kernels.shared_contract import check_conv_tensors, check_request_vectors

RING_NAMES = ("replayssm_rawv", "replayssm_rawk", "replayssm_g", "replayssm_beta")
_SCRATCH = (
    "intermediate_state_indices",
    "intermediate_conv_q",
    "intermediate_conv_k",
    "intermediate_conv_v",
)


class FallbackArguments(NamedTuple):
    """The tensors of one call; shapes and dtypes stand in the op's docstring."""

    x_q: Tensor
    x_k: Tensor
    x_v: Tensor
    w_q: Tensor
    w_k: Tensor
    w_v: Tensor
    cs_q: Tensor
    cs_k: Tensor
    cs_v: Tensor
    g: Tensor
    beta: Tensor
    A_log: Tensor
    dt_bias: Tensor
    recurrent_state: Tensor
    ssm_state_indices: Tensor
    cu_seqlens: Tensor
    intermediate_ssm: Tensor | None
    intermediate_state_indices: Tensor | None
    intermediate_conv_q: Tensor | None
    intermediate_conv_k: Tensor | None
    intermediate_conv_v: Tensor | None
    replayssm_rawv: Tensor | None
    replayssm_rawk: Tensor | None
    replayssm_g: Tensor | None
    replayssm_beta: Tensor | None
    bias_q: Tensor | None
    bias_k: Tensor | None
    bias_v: Tensor | None
    onorm_gate: Tensor | None
    onorm_weight: Tensor | None

    def named(self, *names: str) -> list[tuple[str, Tensor]]:
        """The given arguments of these names, in their order."""
        pairs = ((name, getattr(self, name)) for name in names)
        return [(name, tensor) for name, tensor in pairs if tensor is not None]

    def rings(self) -> Rings | None:
        """The four rings, once they are known to be complete."""
        given = [tensor for _, tensor in self.named(*RING_NAMES)]
        return Rings(*given) if given else None


def check_fallback(
    a: FallbackArguments,
    lower_bound: float | None,
    scale: float,
    eps: float | None,
    *,
    state_v_first: bool,
    inplace: bool,
) -> Sizes:
    """Make every check that needs no device memory.

    Raises:
        ContractError: an argument breaks the contract.
    """
    rows = a.named("x_q", "x_k", "x_v", "g")
    tokens = [*a.named("x_q", "x_k", "x_v", "g", "beta")]
    sizes = check_token_tensors(tokens, a.cu_seqlens)
    N, T, H, HV, K, V = sizes
    check_state_argument("recurrent_state", a.recurrent_state, sizes, state_v_first)
    norm = contract.check_output_norm(a.onorm_gate, a.onorm_weight, eps, T, HV)
    if norm and V != contract.HEAD_DIM:
        raise ContractError("EKB9938", f"expected V=128 with the fused output norm, got V={V}")
    check_gate_tensors(a.A_log, a.dt_bias, HV, K)
    biases = check_conv_tensors(
        taps=(a.w_q, a.w_k, a.w_v),
        windows=(a.cs_q, a.cs_k, a.cs_v),
        biases=(a.bias_q, a.bias_k, a.bias_v),
        channels=(H * K, H * K, HV * V),
        slots=a.recurrent_state.shape[0],
    )
    check_request_vectors(a.named("ssm_state_indices", "intermediate_state_indices"), N)
    parameters = [*a.named("w_q", "w_k", "w_v"), *biases]
    input_contract.check_activation_dtypes(tokens)
    input_contract.check_parameter_dtypes(parameters)
    input_contract.check_window_dtypes(a.named("cs_q", "cs_k", "cs_v"))
    memory_contract.check_row_layout([*rows, *a.named("onorm_gate")])
    memory_contract.check_parameter_layout([*parameters, *a.named("onorm_weight")])
    check_destination(a, inplace)
    if not inplace:
        _check_scratch(a, H, state_v_first)
    input_contract.check_numbers(-1.0 if lower_bound is None else lower_bound, scale, eps)

    names, tensors = zip(*a.named(*a._fields), strict=True)
    memory_contract.check_devices(tensors, names)
    memory_contract.check_gradients(tensors, names)
    return sizes


def check_destination(a: FallbackArguments, inplace: bool) -> None:
    """Check that the call writes either to the pools or to the scratch of a verify step.

    Raises:
        ContractError: scratch that would not be written is given, or needed scratch is missing.
    """
    if inplace:
        unused = a.named(*_SCRATCH, "intermediate_ssm", *RING_NAMES)
        if unused:
            names = ", ".join(name for name, _ in unused)
            raise ContractError("EKB0652", f"expected no scratch with inplace=True, got {names}")
        return
    given = [name for name, _ in a.named(*_SCRATCH)]
    for name in _SCRATCH:
        if name not in given:
            raise ContractError(
                "EKB5289", f"expected {name} to write to, or inplace=True; got None"
            )
    rings = [getattr(a, name) for name in RING_NAMES]
    has_rings = any(ring is not None for ring in rings)
    check_source(rings, None if has_rings else a.intermediate_ssm)


def _check_scratch(a: FallbackArguments, H: int, state_v_first: bool) -> None:
    for stream in "qkv":
        check_rollback_pair(
            stream, getattr(a, f"cs_{stream}"), getattr(a, f"intermediate_conv_{stream}")
        )
    rings = a.rings()
    if rings is not None:
        state = a.recurrent_state if state_v_first else a.recurrent_state.transpose(2, 3)
        L = rings.rawv.shape[2] if rings.rawv.ndim == 4 else 0
        check_ring_set(state, rings, RING_NAMES, H, L)
        memory_contract.check_ring_layout(a.named(*RING_NAMES))
    elif a.intermediate_ssm is not None:
        check_snapshot_source(a.intermediate_ssm, a.recurrent_state)
        check_dense_inside("intermediate_ssm", a.intermediate_ssm, 3)


def held_tokens(a: FallbackArguments) -> int:
    """Tokens per request that every part of the scratch has room for."""
    held = [tensor.shape[1] for _, tensor in a.named(*_SCRATCH[1:])]
    rings = a.rings()
    if rings is not None:
        held.append(rings.rawv.shape[2])
    elif a.intermediate_ssm is not None:
        held.append(a.intermediate_ssm.shape[1])
    return min(held)


def check_fallback_values(a: FallbackArguments, T: int, inplace: bool) -> None:
    """Read offsets, slots and scratch rows from the device and check them.

    Raises:
        ContractError: the stream is being captured.
        DeviceContractError: offsets, lengths, slots or rows break the contract.
    """
    device_contract.check_not_capturing(a.x_q)
    device_contract.check_segments(a.cu_seqlens, T)
    slots, P = a.ssm_state_indices, a.recurrent_state.shape[0]
    device_contract.check_slots(slots, P, written=inplace or a.rings() is not None)
    if a.intermediate_state_indices is not None and a.intermediate_conv_q is not None:
        rows = a.intermediate_conv_q.shape[0]
        device_contract.check_scratch_rows(a.intermediate_state_indices, slots, rows)
        check_request_lengths(a.cu_seqlens, held_tokens(a))
