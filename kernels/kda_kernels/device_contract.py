"""The checks of `fused_kda_decode_mtp_dspark` that only reading device memory can make.

They are opt-in (`validate="device"`), because each call copies the index tensors to the host and
waits for the stream: three copies of N integers.
"""

from __future__ import annotations

from itertools import pairwise

import torch
from torch import Tensor

from kda_kernels.errors import ContractError, DeviceContractError


def check_not_capturing(tensor: Tensor) -> None:
    """Check that the stream is not being captured: reading device memory would end the capture.

    Raises:
        ContractError: it is.
    """
    if tensor.is_cuda and torch.cuda.is_current_stream_capturing():
        raise ContractError(
            "EKB6725",
            "expected validate='host' while a CUDA graph is being captured, got 'device'",
        )


def check_segments(cu_seqlens: Tensor, T: int, tokens_per_request: int | None = None) -> None:
    """Check that cu_seqlens cuts the T tokens into requests, of one length if that is given.

    Raises:
        DeviceContractError: it does not start at 0, decreases, does not end at T, or the requests
            differ in length.
    """
    offsets: list[int] = cu_seqlens.tolist()
    first, last = offsets[0], offsets[-1]
    if first != 0:
        raise DeviceContractError("EKB8949", f"expected cu_seqlens to start at 0, got {first}")
    lengths = [end - begin for begin, end in pairwise(offsets)]
    for request, length in enumerate(lengths):
        if length < 0:
            begin, end = offsets[request], offsets[request + 1]
            raise DeviceContractError(
                "EKB4252",
                f"expected cu_seqlens not to decrease, got {begin} then {end} at request {request}",
            )
    if last != T:
        raise DeviceContractError("EKB9874", f"expected cu_seqlens to end at T={T}, got {last}")
    for request, length in enumerate(lengths):
        if tokens_per_request is not None and length != tokens_per_request:
            raise DeviceContractError(
                "EKB0460",
                f"expected {tokens_per_request} tokens in every request, "
                f"got {length} in request {request}",
            )


def check_slots(ssm_state_indices: Tensor, pool: int, written: bool) -> None:
    """Check that live requests name slots of the pool, each its own where slots are written.

    A negative slot is padding and passes.

    Args:
        ssm_state_indices: [N] int32.
        pool: the number of slots.
        written: whether the call writes to slots, as it does with rings.

    Raises:
        DeviceContractError: a slot is past the pool, or two live requests write to one slot.
    """
    owner: dict[int, int] = {}
    for request, slot in enumerate(ssm_state_indices.tolist()):
        if slot >= pool:
            raise DeviceContractError(
                "EKB7287", f"expected slots below {pool}, got {slot} in request {request}"
            )
        if slot < 0:
            continue
        other = owner.setdefault(slot, request)
        if written and other != request:
            raise DeviceContractError(
                "EKB7370",
                f"expected one live request per ring slot, got slot {slot} in requests {other} "
                f"and {request}",
            )


def check_scratch_rows(
    intermediate_state_indices: Tensor, ssm_state_indices: Tensor, rows: int
) -> None:
    """Check that live requests name rows of the scratch, each its own.

    Args:
        intermediate_state_indices: [N] int32.
        ssm_state_indices: [N] int32; rows of requests with a negative slot are never used.
        rows: the number of scratch rows.

    Raises:
        DeviceContractError: a row is outside the scratch, or two live requests share one.
    """
    owner: dict[int, int] = {}
    slots = ssm_state_indices.tolist()
    for request, row in enumerate(intermediate_state_indices.tolist()):
        if slots[request] < 0:
            continue
        if not 0 <= row < rows:
            raise DeviceContractError(
                "EKB6080",
                f"expected scratch rows from 0 to below {rows}, got {row} in request {request}",
            )
        other = owner.setdefault(row, request)
        if other != request:
            raise DeviceContractError(
                "EKB9048",
                f"expected one live request per scratch row, got row {row} in requests {other} "
                f"and {request}",
            )
