"""All checks of `fused_kda_decode_mtp_dspark` in their order, and what they establish.

They run at every decode step, so a call that looks like one that passed is not taken through them
again (`accepted`); what differs between such calls, addresses and numbers, is checked every time.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import attrgetter, or_
from typing import Any, Final, NamedTuple

from torch import Tensor

from kda_kernels import contract, device_contract, input_contract, memory_contract
from kda_kernels.accepted import NOT_PLAIN, AcceptedCalls
from kda_kernels.memory_contract import VECTOR_BYTES

_REQUIRED = (
    "x_q", "x_k", "x_v", "w_q", "w_k", "w_v", "cs_q", "cs_k", "cs_v", "g", "beta", "A_log",
    "dt_bias", "recurrent_state", "intermediate_state_indices", "intermediate_conv_q",
    "intermediate_conv_k", "intermediate_conv_v", "ssm_state_indices", "cu_seqlens",
)  # fmt: skip
_RINGS = ("replayssm_rawv", "replayssm_rawk", "replayssm_g", "replayssm_beta")
_NORM = ("onorm_gate", "onorm_weight")
_OPTIONAL = ("intermediate_ssm", *_RINGS, *_NORM)

_required = attrgetter(*_REQUIRED)
_optional = attrgetter(*_OPTIONAL)


class VerifyArguments(NamedTuple):
    """The arguments of one call; shapes and dtypes stand in the op's docstring.

    First the tensors that may lie at any address, `a[:ANY_ADDRESS]`, then the others, then the
    optional ones: `check_host` takes slices, as names cost more.
    """

    cs_q: Tensor
    cs_k: Tensor
    cs_v: Tensor
    beta: Tensor
    intermediate_conv_q: Tensor
    intermediate_conv_k: Tensor
    intermediate_conv_v: Tensor
    intermediate_state_indices: Tensor
    ssm_state_indices: Tensor
    cu_seqlens: Tensor
    x_q: Tensor
    x_k: Tensor
    x_v: Tensor
    g: Tensor
    w_q: Tensor
    w_k: Tensor
    w_v: Tensor
    A_log: Tensor
    dt_bias: Tensor
    recurrent_state: Tensor
    replayssm_rawv: Tensor | None
    replayssm_rawk: Tensor | None
    replayssm_g: Tensor | None
    replayssm_beta: Tensor | None
    onorm_gate: Tensor | None
    onorm_weight: Tensor | None
    intermediate_ssm: Tensor | None
    lower_bound: float
    scale: float
    onorm_eps: float | None


ANY_ADDRESS: Final = 10
"""How many of the arguments may lie at any address; rows of the others are read in vectors."""


@dataclass(frozen=True, eq=False)
class VerifySizes:
    """What the host checks establish about a call and all that look like it.

    Calls that look alike share one object, which is compared by identity: a cheap key for what
    follows from it.
    """

    N: int
    """Requests."""
    T1: int
    """Tokens per request."""
    H: int
    """Heads."""
    P: int
    """Pool slots."""
    R: int
    """Scratch rows."""
    L: int
    """Ring positions, 0 without rings."""
    has_rings: bool
    has_norm: bool
    strides: dict[str, tuple[int, ...]]
    """Strides of the given tensors."""


_ACCEPTED: AcceptedCalls[VerifySizes] = AcceptedCalls()


def check_host(a: VerifyArguments) -> VerifySizes:
    """Make every check that needs no device memory: sglang's in its order, then our own.

    Raises:
        ContractError: an argument breaks the contract.
    """
    # Rings replace the snapshots: what stands in intermediate_ssm is then not looked at.
    tensors: tuple[Any, ...] = a[:20] + (a[20:24] if a.replayssm_rawv is not None else a[26:27])
    if a.onorm_gate is not None:
        tensors += a[24:26]
    try:
        key = (
            a.x_q.shape,
            a.cu_seqlens.shape,  # the same tokens can be other requests
            tuple(map(type, a[20:27])),  # which of the optional ones were given
            a.recurrent_state.storage_offset() % 4,
            a.onorm_eps is None,
        )
        sizes = _ACCEPTED.find(key, tensors)
        aligned = reduce(or_, map(Tensor.data_ptr, tensors[ANY_ADDRESS:])) % VECTOR_BYTES == 0
    except NOT_PLAIN:
        return _check_in_order(a)
    if sizes is not None and aligned:
        input_contract.check_numbers(a.lower_bound, a.scale, a.onorm_eps)
        return sizes
    sizes = _check_in_order(a)
    _ACCEPTED.add(key, tensors, sizes)
    return sizes


def _check_in_order(a: VerifyArguments) -> VerifySizes:
    """Make the checks one after another; the first that fails names its argument."""
    required = _required(a)
    input_contract.check_tensor_types(required, _REQUIRED, _optional(a), _OPTIONAL)

    N, T1, H = contract.check_activations(
        x_q=a.x_q, x_k=a.x_k, x_v=a.x_v, g=a.g, beta=a.beta, cu_seqlens=a.cu_seqlens
    )
    contract.check_state(a.recurrent_state, H)
    rings = contract.check_rings(
        (a.replayssm_rawv, a.replayssm_rawk, a.replayssm_g, a.replayssm_beta), T1, H
    )
    snapshots = () if rings else contract.check_snapshots(a.intermediate_ssm, T1, H)
    norm = contract.check_output_norm(a.onorm_gate, a.onorm_weight, a.onorm_eps, N * T1, H)

    _check_inputs(a, N, T1, H)
    _check_memory(a, snapshots, rings, norm)
    input_contract.check_numbers(a.lower_bound, a.scale, a.onorm_eps)

    tensors = (*required, *snapshots, *rings, *norm)
    names = (*_REQUIRED, *(_RINGS if rings else ("intermediate_ssm",)), *(_NORM if norm else ()))
    memory_contract.check_devices(tensors, names)
    memory_contract.check_gradients(tensors, names)
    return VerifySizes(
        N=N,
        T1=T1,
        H=H,
        P=a.recurrent_state.shape[0],
        R=a.intermediate_conv_q.shape[0],
        L=rings[0].shape[2] if rings else 0,
        has_rings=bool(rings),
        has_norm=bool(norm),
        strides={name: tensor.stride() for name, tensor in zip(names, tensors, strict=True)},
    )


def check_device(a: VerifyArguments, sizes: VerifySizes) -> None:
    """Read lengths, slots and scratch rows from the device and check them.

    Raises:
        ContractError: the stream is being captured.
        DeviceContractError: lengths, slots or rows break the contract.
    """
    device_contract.check_not_capturing(a.x_q)
    device_contract.check_segments(a.cu_seqlens, sizes.N * sizes.T1, sizes.T1)
    device_contract.check_slots(a.ssm_state_indices, sizes.P, written=sizes.has_rings)
    device_contract.check_scratch_rows(a.intermediate_state_indices, a.ssm_state_indices, sizes.R)


def _check_inputs(a: VerifyArguments, N: int, T1: int, H: int) -> None:
    """Shapes and dtypes that sglang does not check."""
    input_contract.check_gate_parameters(a.A_log, a.dt_bias, H)
    input_contract.check_conv_shapes(
        (a.w_q, a.w_k, a.w_v),
        (a.cs_q, a.cs_k, a.cs_v),
        (a.intermediate_conv_q, a.intermediate_conv_k, a.intermediate_conv_v),
        T1,
        H,
    )
    input_contract.check_index_shapes(a.ssm_state_indices, a.intermediate_state_indices, N)
    input_contract.check_activation_dtypes(
        (("x_q", a.x_q), ("x_k", a.x_k), ("x_v", a.x_v), ("g", a.g), ("beta", a.beta))
    )
    input_contract.check_parameter_dtypes(
        (
            ("w_q", a.w_q),
            ("w_k", a.w_k),
            ("w_v", a.w_v),
            ("A_log", a.A_log),
            ("dt_bias", a.dt_bias),
        )
    )
    input_contract.check_window_dtypes(
        (
            ("cs_q", a.cs_q),
            ("cs_k", a.cs_k),
            ("cs_v", a.cs_v),
            ("intermediate_conv_q", a.intermediate_conv_q),
            ("intermediate_conv_k", a.intermediate_conv_k),
            ("intermediate_conv_v", a.intermediate_conv_v),
        )
    )
    input_contract.check_index_dtypes(
        (
            ("ssm_state_indices", a.ssm_state_indices),
            ("intermediate_state_indices", a.intermediate_state_indices),
            ("cu_seqlens", a.cu_seqlens),
        )
    )


def _check_memory(
    a: VerifyArguments,
    snapshots: tuple[Tensor, ...],
    rings: tuple[Tensor, ...],
    norm: tuple[Tensor, ...],
) -> None:
    """Strides, sizes and alignment."""
    rows = [("x_q", a.x_q), ("x_k", a.x_k), ("x_v", a.x_v), ("g", a.g)]
    parameters = [
        ("w_q", a.w_q),
        ("w_k", a.w_k),
        ("w_v", a.w_v),
        ("A_log", a.A_log),
        ("dt_bias", a.dt_bias),
    ]
    slots = [("cs_q", a.cs_q), ("cs_k", a.cs_k), ("cs_v", a.cs_v)]
    scratch = [
        ("intermediate_conv_k", a.intermediate_conv_k),
        ("intermediate_conv_v", a.intermediate_conv_v),
    ]
    named_rings = list(zip(_RINGS, rings, strict=True)) if rings else []
    if norm:
        rows.append(("onorm_gate", norm[0]))
        parameters.append(("onorm_weight", norm[1]))
    if snapshots:
        scratch.append(("intermediate_ssm", snapshots[0]))
    memory_contract.check_parameter_layout(parameters)
    memory_contract.check_row_layout(rows)
    memory_contract.check_snapshot_layout(snapshots)
    memory_contract.check_ring_layout(named_rings)
    memory_contract.check_sizes(
        a.recurrent_state.shape[0], slots + named_rings, a.intermediate_conv_q.shape[0], scratch
    )
    memory_contract.check_alignment(
        [*rows, *parameters, ("recurrent_state", a.recurrent_state), *scratch[2:], *named_rings]
    )
