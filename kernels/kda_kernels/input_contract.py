"""Types, shapes, dtypes and numbers that sglang does not check in `fused_kda_decode_mtp_dspark`.

Upstream accepts these arguments and then reads or writes out of bounds, loses precision, or fails
inside the compiler. Each function takes the tensors that belong together and raises for the first
that is wrong.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from types import NoneType

import torch
from torch import Tensor

from kda_kernels.contract import CONV_TAPS, HEAD_DIM
from kda_kernels.errors import ContractError

_TENSOR_TYPES = {Tensor, torch.nn.Parameter}


def check_mode(validate: str) -> None:
    """Check that `validate` names a level of checking: "host" or "device".

    Raises:
        ContractError: it names none.
    """
    if validate not in ("host", "device"):
        got = repr(validate)
        raise ContractError("EKB5138", f"expected validate 'host' or 'device', got {got}")


def check_tensor_types(
    required: Sequence[Tensor],
    required_names: Sequence[str],
    optional: Sequence[Tensor | None],
    optional_names: Sequence[str],
) -> None:
    """Check that every tensor argument is a tensor; an optional one may be None.

    Raises:
        ContractError: an array, a number or None stands where a tensor is needed.
    """
    if set(map(type, required)) <= _TENSOR_TYPES and set(map(type, optional)) <= {
        *_TENSOR_TYPES,
        NoneType,
    }:
        return
    values = [*required, *(value for value in optional if value is not None)]
    names = [
        *required_names,
        *(name for name, v in zip(optional_names, optional, strict=True) if v is not None),
    ]
    for name, value in zip(names, values, strict=True):
        if not isinstance(value, Tensor):
            kind = type(value).__qualname__
            raise ContractError("EKB8489", f"expected {name} as a torch.Tensor, got {kind}")


def check_gate_parameters(A_log: Tensor, dt_bias: Tensor, H: int) -> None:
    """Check the gate's parameters: A_log [H] and dt_bias [128 H].

    Raises:
        ContractError: a shape is wrong.
    """
    if A_log.shape != (H,):
        shape = tuple(A_log.shape)
        raise ContractError("EKB5757", f"expected A_log shape ({H},), got {shape}")
    channels = H * HEAD_DIM
    if dt_bias.shape != (channels,):
        shape = tuple(dt_bias.shape)
        raise ContractError("EKB6774", f"expected dt_bias shape ({channels},), got {shape}")


def check_conv_shapes(
    weights: Sequence[Tensor],
    windows: Sequence[Tensor],
    scratch: Sequence[Tensor],
    tokens_per_request: int,
    H: int,
) -> None:
    """Check the convolution: weights [C, 4], windows [P, C, 3], scratch [R, at least T1, C, 3].

    Each sequence holds the tensors of q, k and v.

    Raises:
        ContractError: a shape is wrong.
    """
    channels = H * HEAD_DIM
    for stream, weight in zip("qkv", weights, strict=True):
        if weight.shape != (channels, CONV_TAPS):
            name, shape = f"w_{stream}", tuple(weight.shape)
            raise ContractError("EKB2806", f"expected {name} shape ({channels}, 4), got {shape}")
    window = (channels, CONV_TAPS - 1)
    for stream, stored in zip("qkv", windows, strict=True):
        if stored.ndim != 3 or stored.shape[1:] != window:
            name, shape = f"cs_{stream}", tuple(stored.shape)
            raise ContractError(
                "EKB9957", f"expected {name} shape [pool, {channels}, 3], got {shape}"
            )
    for stream, rows in zip("qkv", scratch, strict=True):
        shape = rows.shape
        if len(shape) != 4 or shape[1] < tokens_per_request or shape[2:] != window:
            name, shape = f"intermediate_conv_{stream}", tuple(shape)
            raise ContractError(
                "EKB4849",
                f"expected {name} shape [scratch, >={tokens_per_request}, {channels}, 3], "
                f"got {shape}",
            )


def check_index_shapes(
    ssm_state_indices: Tensor, intermediate_state_indices: Tensor, N: int
) -> None:
    """Check that there is one pool slot and one scratch row per request.

    Raises:
        ContractError: an index tensor is not [N].
    """
    if ssm_state_indices.shape != (N,):
        shape = tuple(ssm_state_indices.shape)
        raise ContractError("EKB1185", f"expected ssm_state_indices shape ({N},), got {shape}")
    if intermediate_state_indices.shape != (N,):
        shape = tuple(intermediate_state_indices.shape)
        raise ContractError(
            "EKB5142", f"expected intermediate_state_indices shape ({N},), got {shape}"
        )


def check_activation_dtypes(named: Sequence[tuple[str, Tensor]]) -> None:
    """Check that the activations are bf16.

    Raises:
        ContractError: one is not.
    """
    for name, tensor in named:
        if tensor.dtype != torch.bfloat16:
            dtype = tensor.dtype
            raise ContractError("EKB5311", f"expected {name} in torch.bfloat16, got {dtype}")


def check_parameter_dtypes(named: Sequence[tuple[str, Tensor]]) -> None:
    """Check that the parameters of convolution and gate are fp32.

    Raises:
        ContractError: one is not.
    """
    for name, tensor in named:
        if tensor.dtype != torch.float32:
            dtype = tensor.dtype
            raise ContractError("EKB7067", f"expected {name} in torch.float32, got {dtype}")


def check_window_dtypes(named: Sequence[tuple[str, Tensor]]) -> None:
    """Check that stored and scratch convolution windows are bf16, as the inputs they hold.

    Raises:
        ContractError: one is not.
    """
    for name, tensor in named:
        if tensor.dtype != torch.bfloat16:
            dtype = tensor.dtype
            raise ContractError(
                "EKB3932", f"expected the windows {name} in torch.bfloat16, got {dtype}"
            )


def check_index_dtypes(named: Sequence[tuple[str, Tensor]]) -> None:
    """Check that slots, scratch rows and token offsets are int32.

    Raises:
        ContractError: one is not.
    """
    for name, tensor in named:
        if tensor.dtype != torch.int32:
            dtype = tensor.dtype
            raise ContractError("EKB2916", f"expected {name} in torch.int32, got {dtype}")


def check_numbers(lower_bound: float | None, scale: float, eps: float | None) -> None:
    """Check the safe gate's bound, the query scale and the output norm's epsilon.

    Raises:
        ContractError: the bound is missing or not negative, the scale or epsilon not positive,
            or one of them not finite.
    """
    if lower_bound is None:
        raise ContractError(
            "EKB3928", "expected lower_bound, the bound of the safe gate, as a number, got None"
        )
    if not -math.inf < lower_bound < 0:
        raise ContractError(
            "EKB7583", f"expected lower_bound negative and finite, got {lower_bound}"
        )
    if not 0 < scale < math.inf:
        raise ContractError("EKB1917", f"expected scale positive and finite, got {scale}")
    if eps is not None and not 0 < eps < math.inf:
        raise ContractError("EKB2020", f"expected onorm_eps positive and finite, got {eps}")
