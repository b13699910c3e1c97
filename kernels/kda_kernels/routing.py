"""Which op verifies a batch, decided from lengths that the host has anyway."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from kda_kernels.contract import HEAD_DIM
from kda_kernels.errors import ContractError
from kda_kernels.fallback import kda_decode_fallback
from kda_kernels.verify import fused_kda_decode_mtp_dspark

_FALLBACK_ONLY = ("bias_q", "bias_k", "bias_v", "state_v_first", "inplace")
_INDICES = ("ssm_state_indices", "intermediate_state_indices", "cu_seqlens")


def uniform_mtp_batch(lengths: Sequence[int]) -> bool:
    """Whether all requests have one length of at least 1, as the fused verify op needs it.

    Args:
        lengths: tokens of every request, integers on the host. Computing the answer from
            cu_seqlens on the device would wait for the stream and end a graph capture.

    Raises:
        ContractError: a tensor came, or a length is negative.
    """
    if isinstance(lengths, Tensor):
        where = lengths.device
        raise ContractError(
            "EKB6500", f"expected lengths as integers on the host, got a tensor on {where}"
        )
    for request, length in enumerate(lengths):
        if length < 0:
            raise ContractError(
                "EKB6638", f"expected lengths of at least 0, got {length} in request {request}"
            )
    return len(lengths) > 0 and lengths[0] > 0 and len(set(lengths)) == 1


def kda_verify(
    lengths: Sequence[int],
    *,
    x_q: Tensor,
    cu_seqlens: Tensor,
    **arguments: Any,  # noqa: ANN401 - those of both ops
) -> Tensor:
    """Verify with the fused op if it covers the call, else with `kda_decode_fallback`.

    Args:
        lengths: tokens of every request, integers on the host; cu_seqlens holds their sums.
        x_q, cu_seqlens, arguments: the keywords of `kda_decode_fallback`, those of the fused op
            among them.

    Returns:
        [1, T, HV, V] bf16.

    Raises:
        ContractError: the lengths do not fit the tensors, or the op that is picked says so.
    """
    uniform = uniform_mtp_batch(lengths)
    N, T = cu_seqlens.numel() - 1, x_q.shape[1]
    count, total = len(lengths), sum(lengths)
    if (count, total) != (N, T):
        raise ContractError(
            "EKB8667",
            f"expected {N} lengths with the sum {T}, as cu_seqlens and x_q have it; "
            f"got {count} with the sum {total}",
        )
    arguments |= {"x_q": x_q, "cu_seqlens": cu_seqlens}
    if uniform and fused_op_covers(arguments):
        return fused_kda_decode_mtp_dspark(**arguments)
    return kda_decode_fallback(**arguments)


def fused_op_covers(arguments: Mapping[str, Any]) -> bool:
    """Whether heads, dims, gate and dtypes of a call are those of the fused verify op."""
    x_q, x_v = arguments.get("x_q"), arguments.get("x_v")
    indices = [arguments.get(name) for name in _INDICES]
    return (
        not any(name in arguments for name in _FALLBACK_ONLY)
        and arguments.get("lower_bound") is not None
        and isinstance(x_q, Tensor)
        and isinstance(x_v, Tensor)
        and x_q.shape == x_v.shape
        and x_q.shape[-1] == HEAD_DIM
        and all(isinstance(index, Tensor) and index.dtype == torch.int32 for index in indices)
    )


def slots_from_null_block(indices: Tensor, null_block_id: int) -> Tensor:
    """Slots of this package, where null is negative, from a pool that reserves low slots as null.

    Args:
        indices: int32 or int64, any shape; slots up to and with `null_block_id` are null.
        null_block_id: the highest null slot: 0 in vLLM and flashinfer, -1 changes nothing.

    Returns:
        A new tensor in which every null slot is -1; no host read, so it can be captured.
    """
    return torch.where(indices > null_block_id, indices, -1)
