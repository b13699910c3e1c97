"""All checks of `fused_kda_decode_mtp_dspark` in their order, and what they establish.

They run at every decode step, so our own checks are first made on all tensors at once; only when
that says no do the checks that name the tensor run, one after another.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import attrgetter, or_
from typing import NamedTuple

import torch
from torch import Tensor

from kda_kernels import contract, device_contract, input_contract, memory_contract
from kda_kernels.contract import HEAD_DIM, STATE_STRIDES
from kda_kernels.memory_contract import VECTOR_BYTES

_REQUIRED = (
    "x_q", "x_k", "x_v", "w_q", "w_k", "w_v", "cs_q", "cs_k", "cs_v", "g", "beta", "A_log",
    "dt_bias", "recurrent_state", "intermediate_state_indices", "intermediate_conv_q",
    "intermediate_conv_k", "intermediate_conv_v", "ssm_state_indices", "cu_seqlens",
)  # fmt: skip
_RINGS = ("replayssm_rawv", "replayssm_rawk", "replayssm_g", "replayssm_beta")
_NORM = ("onorm_gate", "onorm_weight")
_OPTIONAL = ("intermediate_ssm", *_RINGS, *_NORM)

_DTYPES = (
    *(torch.bfloat16,) * 3, *(torch.float32,) * 3, *(torch.bfloat16,) * 5, *(torch.float32,) * 3,
    torch.int32, *(torch.bfloat16,) * 3, *(torch.int32,) * 2,
)  # fmt: skip
"""The dtypes of `_REQUIRED`."""

_dtype = attrgetter("dtype")


class VerifyArguments(NamedTuple):
    """The arguments of one call; shapes and dtypes stand in the op's docstring."""

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
    intermediate_ssm: Tensor | None
    intermediate_state_indices: Tensor
    intermediate_conv_q: Tensor
    intermediate_conv_k: Tensor
    intermediate_conv_v: Tensor
    ssm_state_indices: Tensor
    cu_seqlens: Tensor
    lower_bound: float
    scale: float
    replayssm_rawv: Tensor | None
    replayssm_rawk: Tensor | None
    replayssm_g: Tensor | None
    replayssm_beta: Tensor | None
    onorm_gate: Tensor | None
    onorm_weight: Tensor | None
    onorm_eps: float | None


class VerifySizes(NamedTuple):
    """What the host checks establish about a call."""

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
    has_rings: bool
    has_norm: bool


def check_host(a: VerifyArguments) -> VerifySizes:
    """Make every check that needs no device memory: sglang's in its order, then our own.

    Raises:
        ContractError: an argument breaks the contract.
    """
    required = (
        a.x_q, a.x_k, a.x_v, a.w_q, a.w_k, a.w_v, a.cs_q, a.cs_k, a.cs_v, a.g, a.beta, a.A_log,
        a.dt_bias, a.recurrent_state, a.intermediate_state_indices, a.intermediate_conv_q,
        a.intermediate_conv_k, a.intermediate_conv_v, a.ssm_state_indices, a.cu_seqlens,
    )  # fmt: skip
    rings = (a.replayssm_rawv, a.replayssm_rawk, a.replayssm_g, a.replayssm_beta)
    optional = (a.intermediate_ssm, *rings, a.onorm_gate, a.onorm_weight)
    input_contract.check_tensor_types(required, _REQUIRED, optional, _OPTIONAL)

    N, T1, H = contract.check_activations(
        x_q=a.x_q, x_k=a.x_k, x_v=a.x_v, g=a.g, beta=a.beta, cu_seqlens=a.cu_seqlens
    )
    contract.check_state(a.recurrent_state, H)
    used_rings = contract.check_rings(rings, T1, H)
    # Rings replace the snapshots: what stands in intermediate_ssm is then not looked at.
    snapshots = () if used_rings else contract.check_snapshots(a.intermediate_ssm, T1, H)
    norm = contract.check_output_norm(a.onorm_gate, a.onorm_weight, a.onorm_eps, N * T1, H)

    if tuple(map(_dtype, required)) != _DTYPES or not (
        _shapes_conform(a, N, T1, H) and _memory_conforms(a, snapshots, used_rings, norm)
    ):
        _check_inputs(a, N, T1, H)
        _check_memory(a, snapshots, used_rings, norm)
    input_contract.check_numbers(a.lower_bound, a.scale, a.onorm_eps)

    tensors = (*required, *snapshots, *used_rings, *norm)
    names = (
        *_REQUIRED,
        *(("intermediate_ssm",) if snapshots else _RINGS),
        *(_NORM if norm else ()),
    )
    memory_contract.check_devices(tensors, names)
    memory_contract.check_gradients(tensors, names)
    P, R = a.recurrent_state.shape[0], a.intermediate_conv_q.shape[0]
    return VerifySizes(N, T1, H, P, R, bool(used_rings), bool(norm))


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


def _shapes_conform(a: VerifyArguments, N: int, T1: int, H: int) -> bool:
    """Whether all shapes and sizes that sglang does not check are right."""
    C = H * HEAD_DIM
    P, scratch = a.recurrent_state.shape[0], a.intermediate_conv_q.shape
    return (
        P > 0
        and len(scratch) == 4
        and scratch == (scratch[0] or -1, max(scratch[1], T1), C, 3)
        and a.intermediate_conv_k.shape == a.intermediate_conv_v.shape == scratch
        and a.w_q.shape == a.w_k.shape == a.w_v.shape == (C, 4)
        and a.cs_q.shape == a.cs_k.shape == a.cs_v.shape == (P, C, 3)
        and a.ssm_state_indices.shape == a.intermediate_state_indices.shape == (N,)
        and a.A_log.shape == (H,)
        and a.dt_bias.shape == (C,)
    )


def _memory_conforms(
    a: VerifyArguments, snapshots: Sequence[Tensor], rings: Sequence[Tensor], norm: Sequence[Tensor]
) -> bool:
    """Whether all strides, sizes of optional tensors and addresses are right."""
    rows = (a.x_q, a.x_k, a.x_v, a.g, *norm[:1])
    parameters = (a.w_q, a.w_k, a.w_v, a.A_log, a.dt_bias, *norm[1:])
    vectors = (*rows, *parameters, a.recurrent_state, *snapshots, *rings)
    L = rings[0].shape[2] if rings else 0
    dense = (*((L * HEAD_DIM, HEAD_DIM, 1),) * 3, (L, 1))
    P, R = a.recurrent_state.shape[0], a.intermediate_conv_q.shape[0]
    return (
        all(map(Tensor.is_contiguous, parameters))
        and all(strides[-1] == 1 for strides in map(Tensor.stride, rows))
        and all(t.shape[0] == R and t.stride()[2:] == STATE_STRIDES for t in snapshots)
        and all(t.shape[0] == P and t.stride()[1:] == s for t, s in zip(rings, dense, strict=False))
        and reduce(or_, map(Tensor.data_ptr, vectors)) % VECTOR_BYTES == 0
    )


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
