"""What the commit ops demand of their arguments: the fold, the rollback and the snapshot copy.

sglang checks none of it; there, each of these mistakes reads a neighbour's memory or folds
garbage. Shapes use N requests, P pool slots, H key heads, HV value heads, L ring positions,
R scratch rows and, in the call over all layers, a leading layer dimension.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from kda_kernels.errors import ContractError
from kda_kernels.shared_contract import FLOAT_DTYPES, check_head_dims, check_head_groups


class Rings(NamedTuple):
    """The four ReplaySSM rings of a fold.

    rawv [P, HV, L, V] and rawk [P, H, L, K] in any float dtype; log_decay [P, HV, L, K] and
    strength [P, HV, L] in fp32. All may have a leading layer dimension.
    """

    rawv: Tensor
    rawk: Tensor
    log_decay: Tensor
    strength: Tensor


_FP32 = (torch.float32,)
_RING_DTYPES = (FLOAT_DTYPES, FLOAT_DTYPES, _FP32, _FP32)


def check_null_block(null_block_id: int) -> None:
    """Check that the caller means this package's null slots: those below 0.

    Raises:
        ContractError: another convention is asked for.
    """
    if null_block_id != -1:
        raise ContractError(
            "EKB6298",
            f"expected null_block_id=-1 (null slots are negative), got {null_block_id}",
        )


def check_state_pool(name: str, state: Tensor, layered: bool) -> None:
    """Check the state pool, [P, HV, V, K] or [layers, P, HV, V, K] in fp32.

    Raises:
        ContractError: rank, dtype or head dims are wrong.
    """
    if state.ndim != (5 if layered else 4) or state.dtype != torch.float32:
        layout = "[layers, slots, HV, V, K]" if layered else "[slots, HV, V, K]"
        dtype, shape = state.dtype, tuple(state.shape)
        raise ContractError(
            "EKB8961", f"expected {name} {layout} in torch.float32, got {dtype} of shape {shape}"
        )
    check_head_dims(state.shape[-1], state.shape[-2])


def check_ring_set(state: Tensor, rings: Rings, names: Sequence[str], H: int, L: int) -> None:
    """Check that the rings fit the state pool, `H` key heads and `L` positions.

    Raises:
        ContractError: a shape or dtype is wrong.
    """
    *lead, HV, V, K = state.shape
    check_head_groups(H, HV)
    shapes = ((HV, L, V), (H, L, K), (HV, L, K), (HV, L))
    for name, ring, inner in zip(names, rings, shapes, strict=True):
        if ring.shape != (*lead, *inner):
            want, shape = (*lead, *inner), tuple(ring.shape)
            raise ContractError(
                "EKB7046",
                f"expected {name} of shape {want} beside this state pool with {H} key heads and "
                f"ring length {L}, got {shape}",
            )
    for name, ring, allowed in zip(names, rings, _RING_DTYPES, strict=True):
        if ring.dtype not in allowed:
            dtype = ring.dtype
            raise ContractError(
                "EKB3289",
                "expected raw value and key rings in a float dtype, decay and strength rings in "
                f"torch.float32; got {dtype} for {name}",
            )


def check_dense_inside(name: str, tensor: Tensor, inner: int) -> None:
    """Check that the last 2 or 3 dimensions are contiguous; the pitches before them are free.

    `.contiguous()` repairs nothing: the op would write to the copy.

    Raises:
        ContractError: they are not.
    """
    *_, rows, columns = tensor.shape
    dense = (rows * columns, columns, 1) if inner == 3 else (columns, 1)
    if tensor.stride()[-inner:] == dense:
        return
    # The stride of a dimension of size 1 says nothing.
    expected = 1
    for size, stride in zip(
        tensor.shape[: -inner - 1 : -1], tensor.stride()[: -inner - 1 : -1], strict=True
    ):
        if size != 1 and stride != expected:
            shape, strides = tuple(tensor.shape), tensor.stride()
            raise ContractError(
                "EKB7645",
                f"expected the last {inner} dimensions of {name} dense, "
                f"got shape {shape} with strides {strides}",
            )
        expected *= size


def check_tracking(track_slots: Tensor | None, track_steps: Tensor | None) -> None:
    """Check that a tracking snapshot names both its slots and its steps.

    Raises:
        ContractError: one of the two is missing.
    """
    if (track_slots is None) != (track_steps is None):
        missing = "slots" if track_slots is None else "steps"
        raise ContractError(
            "EKB1189", f"expected both slots and steps to track, or neither; got no {missing}"
        )


def check_source(rings: Sequence[Tensor | None], snapshots: Tensor | None) -> None:
    """Check that a commit has one source: the four rings, or the snapshots.

    Raises:
        ContractError: it has none, both, or a part of the rings.
    """
    given = sum(ring is not None for ring in rings)
    if given not in (0, len(rings)) or (given == 0) == (snapshots is None):
        other = "no intermediate_ssm" if snapshots is None else "intermediate_ssm"
        raise ContractError(
            "EKB7471",
            f"expected all four replayssm_* rings or intermediate_ssm, got {given} rings and "
            f"{other}",
        )


def check_snapshot_source(snapshots: Tensor, state: Tensor) -> None:
    """Check snapshots [R, T1, *slot] in fp32, where slot is the shape of a slot of the state pool.

    Raises:
        ContractError: shape or dtype do not fit the state pool.
    """
    slot = tuple(state.shape[1:])
    if (
        snapshots.ndim != 5
        or snapshots.shape[2:] != state.shape[1:]
        or snapshots.dtype != torch.float32
    ):
        dtype, shape = snapshots.dtype, tuple(snapshots.shape)
        raise ContractError(
            "EKB3835",
            f"expected intermediate_ssm as [scratch, T1] of states {slot} in torch.float32, "
            f"got {dtype} of shape {shape}",
        )


def check_rollback_pair(stream: str, window: Tensor, scratch: Tensor) -> None:
    """Check one stream's window pool [P, C, 3] against the windows of verify [R, T1, C, 3].

    Raises:
        ContractError: ranks, channels, width or dtypes differ.
    """
    if (
        window.ndim != 3
        or scratch.ndim != 4
        or window.shape[1:] != scratch.shape[2:]
        or window.dtype != scratch.dtype
    ):
        pool, rows = tuple(window.shape), tuple(scratch.shape)
        pool_dtype, rows_dtype = window.dtype, scratch.dtype
        raise ContractError(
            "EKB3960",
            f"expected cs_{stream} [slots, C, 3] and intermediate_conv_{stream} "
            "[scratch, T1, C, 3] of one dtype, "
            f"got {pool} in {pool_dtype} and {rows} in {rows_dtype}",
        )
