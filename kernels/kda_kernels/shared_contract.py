"""Host checks that the ops with free head dims share: commit, recurrence, fallback, convolution.

Nothing here reads device memory. Each function raises for the first argument that is wrong.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from kda_kernels.errors import ContractError, DeviceContractError

HEAD_DIMS = (64, 128, 256)
"""Key and value dims that the kernels are compiled and tested for."""

INDEX_DTYPES = (torch.int32, torch.int64)
FLOAT_DTYPES = (torch.bfloat16, torch.float16, torch.float32)


def check_head_dims(K: int, V: int) -> None:
    """Check that a kernel exists for the head dims.

    Raises:
        ContractError: K or V is not 64, 128 or 256.
    """
    if K not in HEAD_DIMS or V not in HEAD_DIMS:
        raise ContractError("EKB0909", f"expected head dims of 64, 128 or 256, got K={K}, V={V}")


def check_head_groups(H: int, HV: int) -> None:
    """Check that every key head serves the same number of value heads.

    Raises:
        ContractError: HV is no positive multiple of H.
    """
    if H <= 0 or HV <= 0 or HV % H != 0:
        raise ContractError(
            "EKB2917", f"expected value heads as a multiple of key heads, got H={H}, HV={HV}"
        )


def check_request_vectors(named: Sequence[tuple[str, Tensor]], N: int) -> None:
    """Check the integers that come one per request: slots, scratch rows, lengths, steps.

    Any stride is accepted.

    Raises:
        ContractError: one is not int32 or int64, or not [N].
    """
    for name, tensor in named:
        if tensor.dtype not in INDEX_DTYPES or tensor.shape != (N,):
            dtype, shape = tensor.dtype, tuple(tensor.shape)
            raise ContractError(
                "EKB5220",
                f"expected {name} as int32 or int64 of shape ({N},), one per request; "
                f"got {dtype} of shape {shape}",
            )


def check_one_device(named: Sequence[tuple[str, Tensor]]) -> None:
    """Check that all tensors of a call lie on one device.

    Raises:
        ContractError: one lies elsewhere than the first.
    """
    if len({tensor.device for _, tensor in named}) == 1:
        return
    first, leader = named[0]
    wanted = leader.device
    for name, tensor in named:
        if tensor.device != wanted:
            device = tensor.device
            raise ContractError(
                "EKB0597", f"expected {name} on {wanted}, where {first} lies, got {device}"
            )


def check_offsets(cu_seqlens: Tensor, N: int | None = None) -> None:
    """Check the token offsets of ragged requests, one more than requests; any stride.

    Args:
        cu_seqlens: [N + 1].
        N: the number of requests where another argument says it.

    Raises:
        ContractError: it is not int32 or int64, or not [N + 1].
    """
    entries = cu_seqlens.numel() if N is None else N + 1
    if cu_seqlens.dtype not in INDEX_DTYPES or cu_seqlens.shape != (entries,) or entries < 1:
        dtype, shape = cu_seqlens.dtype, tuple(cu_seqlens.shape)
        raise ContractError(
            "EKB3580",
            "expected cu_seqlens as int32 or int64 with one entry more than requests, "
            f"got {dtype} of shape {shape}",
        )


def check_accepted(
    accept_lens: Tensor, ssm_state_indices: Tensor, cu_seqlens: Tensor | None, held: int
) -> None:
    """Check on the host that no live request accepts more tokens than were verified.

    Args:
        accept_lens, ssm_state_indices: [N].
        cu_seqlens: [N + 1] or None, the lengths of the requests.
        held: tokens per request that the buffers hold.

    Raises:
        DeviceContractError: one does, or its length is negative.
    """
    lengths = [held] * accept_lens.numel()
    if cu_seqlens is not None:
        lengths = [min(held, length) for length in cu_seqlens.diff().tolist()]
    slots = ssm_state_indices.tolist()
    for request, accepted in enumerate(accept_lens.tolist()):
        length = lengths[request]
        if slots[request] >= 0 and not 0 <= accepted <= length:
            raise DeviceContractError(
                "EKB4827",
                f"expected 0 to {length} accepted tokens in request {request}, got {accepted}",
            )


def check_conv_tensors(
    *,
    taps: Sequence[Tensor],
    windows: Sequence[Tensor],
    biases: Sequence[Tensor | None],
    channels: Sequence[int],
    slots: int,
) -> list[tuple[str, Tensor]]:
    """Check taps [C, 4], windows [P, C, 3] and biases [C] of the streams q, k and v.

    Args:
        taps, windows, biases: one of each stream; the biases all given or all None.
        channels: C of each stream.
        slots: P, at least 1.

    Returns:
        The biases by name, or nothing when there are none.

    Raises:
        ContractError: a shape is wrong, or one or two biases are missing.
    """
    named = [(f"bias_{s}", b) for s, b in zip("qkv", biases, strict=True) if b is not None]
    if len(named) not in (0, len(biases)):
        missing = [f"bias_{s}" for s, b in zip("qkv", biases, strict=True) if b is None]
        got = " and ".join(missing)
        raise ContractError(
            "EKB1351", f"expected bias_q, bias_k and bias_v together or not at all, got no {got}"
        )
    for i, stream in enumerate("qkv"):
        C = channels[i]
        shapes = [(f"w_{stream}", taps[i], (C, 4)), (f"cs_{stream}", windows[i], (slots, C, 3))]
        if named:
            shapes.append((*named[i], (C,)))
        for name, tensor, want in shapes:
            if tensor.shape != want:
                shape = tuple(tensor.shape)
                raise ContractError(
                    "EKB8317",
                    f"expected {name} of shape {want} for {C} channels and {slots} slots, "
                    f"got {shape}",
                )
    return named


def check_float_dtypes(named: Sequence[tuple[str, Tensor]]) -> None:
    """Check that tensors hold bf16, fp16 or fp32; the kernels widen them to fp32.

    Raises:
        ContractError: one holds something else.
    """
    for name, tensor in named:
        if tensor.dtype not in FLOAT_DTYPES:
            dtype = tensor.dtype
            raise ContractError(
                "EKB2173", f"expected {name} in bfloat16, float16 or float32, got {dtype}"
            )
