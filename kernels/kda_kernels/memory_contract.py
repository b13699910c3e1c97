"""Where the tensors of `fused_kda_decode_mtp_dspark` lie: strides, sizes, devices, alignment.

sglang checks these for the state pool alone. Each function raises for the first tensor that is
wrong.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from kda_kernels.contract import STATE_STRIDES
from kda_kernels.errors import BackendUnavailableError, ContractError

VECTOR_BYTES = 16
"""A row of 128 elements is read in vectors of this many bytes."""


def check_parameter_layout(named: Sequence[tuple[str, Tensor]]) -> None:
    """Check that parameters are contiguous: the taps of a channel, the heads, the channels.

    Raises:
        ContractError: one is not.
    """
    for name, tensor in named:
        if not tensor.is_contiguous():
            strides = tensor.stride()
            raise ContractError("EKB1682", f"expected {name} contiguous, got strides {strides}")


def check_row_layout(named: Sequence[tuple[str, Tensor]]) -> None:
    """Check that the 128 channels of a token and head are adjacent; other strides are free.

    Raises:
        ContractError: they are not.
    """
    for name, tensor in named:
        if tensor.stride(-1) != 1:
            strides = tensor.stride()
            raise ContractError(
                "EKB6018", f"expected {name} with last stride 1, got strides {strides}"
            )


def check_snapshot_layout(snapshots: Sequence[Tensor]) -> None:
    """Check that a state inside the snapshot scratch is dense; row and step pitch are free.

    Raises:
        ContractError: it is not.
    """
    for tensor in snapshots:
        if tensor.stride()[2:] != STATE_STRIDES:
            strides = tensor.stride()
            raise ContractError(
                "EKB3156",
                f"expected intermediate_ssm with inner strides (16384, 128, 1), got {strides}",
            )


def check_ring_layout(named: Sequence[tuple[str, Tensor]]) -> None:
    """Check that rings are dense inside a slot; the slot pitch is free.

    Raises:
        ContractError: one is not.
    """
    for name, ring in named:
        if not ring[:1].is_contiguous():
            shape, strides = tuple(ring.shape), ring.stride()
            raise ContractError(
                "EKB6706",
                f"expected {name} dense inside a slot, got shape {shape} with strides {strides}",
            )


def check_sizes(
    pool: int,
    slots: Sequence[tuple[str, Tensor]],
    scratch: int,
    rows: Sequence[tuple[str, Tensor]],
) -> None:
    """Check that all per-slot tensors have the pool's slots and all scratch the same rows.

    Args:
        pool: the slots of `recurrent_state`.
        slots: windows and rings, by name.
        scratch: the rows of `intermediate_conv_q`.
        rows: the other scratch tensors, by name.

    Raises:
        ContractError: the pool or the scratch is empty, or a tensor has another size.
    """
    if pool == 0:
        raise ContractError("EKB1370", "expected recurrent_state with at least one slot, got none")
    if scratch == 0:
        raise ContractError(
            "EKB2651", "expected intermediate_conv_q with at least one scratch row, got none"
        )
    for name, tensor in slots:
        if tensor.shape[0] != pool:
            size = tensor.shape[0]
            raise ContractError(
                "EKB2156", f"expected {name} with {pool} slots like recurrent_state, got {size}"
            )
    for name, tensor in rows:
        if tensor.shape[0] != scratch:
            size = tensor.shape[0]
            raise ContractError(
                "EKB2589",
                f"expected {name} with {scratch} scratch rows like intermediate_conv_q, got {size}",
            )


def check_devices(tensors: Sequence[Tensor], names: Sequence[str]) -> None:
    """Check that every tensor is on the device of the first one, x_q.

    Raises:
        ContractError: one is elsewhere.
    """
    if len({tensor.device for tensor in tensors}) == 1:
        return
    expected = tensors[0].device
    for name, tensor in zip(names, tensors, strict=True):
        if tensor.device != expected:
            device = tensor.device
            raise ContractError("EKB8687", f"expected {name} on {expected} like x_q, got {device}")


def check_alignment(named: Sequence[tuple[str, Tensor]]) -> None:
    """Check that the tensors whose rows are read in vectors start at a multiple of 16 bytes.

    Raises:
        ContractError: one does not.
    """
    for name, tensor in named:
        remainder = tensor.data_ptr() % VECTOR_BYTES
        if remainder:
            raise ContractError(
                "EKB4410",
                f"expected {name} at an address that 16 divides, got remainder {remainder}",
            )


def check_gradients(tensors: Sequence[Tensor], names: Sequence[str]) -> None:
    """Check that nobody expects a gradient: the operation has no backward.

    Raises:
        ContractError: grad mode is on and a tensor requires a gradient.
    """
    if not torch.is_grad_enabled():
        return
    for name, tensor in zip(names, tensors, strict=True):
        if tensor.requires_grad:
            raise ContractError(
                "EKB0617",
                f"expected {name} without requires_grad while grad mode is on, "
                "got requires_grad=True",
            )


def check_backend(tensor: Tensor, interpreted: bool) -> None:
    """Check that a kernel can run where the tensors are.

    Args:
        tensor: one of the tensors; the others are on the same device.
        interpreted: whether the kernels were defined under TRITON_INTERPRET=1.

    Raises:
        BackendUnavailableError: the tensors are not on a GPU and Triton's interpreter is off.
    """
    if not tensor.is_cuda and not interpreted:
        device = tensor.device
        raise BackendUnavailableError(
            "EKB8884",
            f"no kernel runs on {device} tensors: move them to a GPU, or set TRITON_INTERPRET=1 "
            "before triton is imported",
        )
