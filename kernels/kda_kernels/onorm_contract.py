"""What `kda_onorm_apply` demands of its arguments; the dtype messages are sglang's."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from kda_kernels.errors import ContractError
from kda_kernels.shared_contract import HEAD_DIMS


def check_norm(raw: Tensor, gate: Tensor, weight: Tensor, out: Tensor, eps: float) -> None:
    """Check shapes, dtypes and epsilon.

    Raises:
        ContractError: one is wrong.
    """
    if raw.ndim != 4 or raw.shape[0] != 1 or raw.shape[3] not in HEAD_DIMS:
        shape = tuple(raw.shape)
        raise ContractError(
            "EKB3469", f"expected raw as [1, T, H, D] with D of 64, 128 or 256, got shape {shape}"
        )
    if gate.shape != raw.shape or out.shape != raw.shape or weight.shape != raw.shape[3:]:
        shape, gates = tuple(raw.shape), tuple(gate.shape)
        weights, outs = tuple(weight.shape), tuple(out.shape)
        raise ContractError(
            "EKB3248",
            f"expected gate and out shaped like raw {shape} and weight like its last dimension, "
            f"got gate {gates}, weight {weights}, out {outs}",
        )
    if raw.dtype != torch.bfloat16 or out.dtype != torch.bfloat16:
        raise ContractError(
            "EKB1749",
            "expected raw bf16 -> out bf16 (rms from bf16 raw)",
            got=f"raw {raw.dtype}, out {out.dtype}",
        )
    if gate.dtype != torch.bfloat16 or weight.dtype != torch.float32:
        raise ContractError(
            "EKB3178",
            "expected gate bf16, weight fp32",
            got=f"gate {gate.dtype}, weight {weight.dtype}",
        )
    if not 0 < eps < math.inf:
        raise ContractError("EKB1289", f"expected eps positive and finite, got {eps}")
