"""What `kda_decode` demands of its arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from kda_kernels import contract, device_contract, input_contract, memory_contract
from kda_kernels.contract import CONV_TAPS, HEAD_DIM
from kda_kernels.errors import ContractError
from kda_kernels.shared_contract import (
    INDEX_DTYPES,
    check_conv_tensors,
    check_request_vectors,
)

_ACTIVATIONS = ("x_q", "x_k", "x_v", "g", "beta")
_BF16, _FP32 = {torch.bfloat16}, {torch.float32}


class DecodeArguments(NamedTuple):
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
    bias_q: Tensor | None
    bias_k: Tensor | None
    bias_v: Tensor | None
    onorm_gate: Tensor | None
    onorm_weight: Tensor | None


def check_decode(
    a: DecodeArguments, lower_bound: float | None, scale: float, eps: float | None
) -> tuple[int, int]:
    """Make every check that needs no device memory.

    Returns:
        N requests and H heads.

    Raises:
        ContractError: an argument breaks the contract.
    """
    N = a.ssm_state_indices.numel()
    H = a.x_q.shape[2] if a.x_q.ndim == 4 else 0
    activations = (a.x_q, a.x_k, a.x_v, a.g, a.beta)
    check_token_shapes(activations, N, H)
    contract.check_state(a.recurrent_state, H)
    norm = contract.check_output_norm(a.onorm_gate, a.onorm_weight, eps, N, H)
    biased = any(bias is not None for bias in (a.bias_q, a.bias_k, a.bias_v))
    if biased or not _conforms(a, activations, norm, N, H):
        _check_parts(a, norm, N, H)
    input_contract.check_numbers(-1.0 if lower_bound is None else lower_bound, scale, eps)
    given = [tensor for tensor in a if tensor is not None]
    if len({tensor.device for tensor in given}) > 1 or torch.is_grad_enabled():
        names = [name for name, tensor in zip(a._fields, a, strict=True) if tensor is not None]
        memory_contract.check_devices(given, names)
        memory_contract.check_gradients(given, names)
    return N, H


def _conforms(
    a: DecodeArguments, activations: Sequence[Tensor], norm: Sequence[Tensor], N: int, H: int
) -> bool:
    """Whether a call without biases passes `_check_parts`, without the cost of naming anything."""
    C, P = H * HEAD_DIM, a.recurrent_state.shape[0]
    parameters = (a.w_q, a.w_k, a.w_v, a.A_log, a.dt_bias)
    windows = (a.cs_q, a.cs_k, a.cs_v)
    return (
        a.w_q.shape == a.w_k.shape == a.w_v.shape == (C, CONV_TAPS)
        and a.cs_q.shape == a.cs_k.shape == a.cs_v.shape == (P, C, CONV_TAPS - 1)
        and a.A_log.shape == (H,)
        and a.dt_bias.shape == (C,)
        and a.ssm_state_indices.shape == (N,)
        and a.ssm_state_indices.dtype in INDEX_DTYPES
        and {tensor.dtype for tensor in (*activations, *windows)} == _BF16
        and {tensor.dtype for tensor in parameters} == _FP32
        and {strides[-1] for strides in map(Tensor.stride, (*activations[:4], *norm[:1]))} == {1}
        and all(map(Tensor.is_contiguous, (*parameters, *norm[1:])))
    )


def _check_parts(a: DecodeArguments, norm: Sequence[Tensor], N: int, H: int) -> None:
    """Shapes, dtypes and layouts but those of the activations and the state."""
    input_contract.check_gate_parameters(a.A_log, a.dt_bias, H)
    biases = check_conv_tensors(
        taps=(a.w_q, a.w_k, a.w_v),
        windows=(a.cs_q, a.cs_k, a.cs_v),
        biases=(a.bias_q, a.bias_k, a.bias_v),
        channels=(H * HEAD_DIM,) * 3,
        slots=a.recurrent_state.shape[0],
    )
    check_request_vectors((("ssm_state_indices", a.ssm_state_indices),), N)
    rows = [("x_q", a.x_q), ("x_k", a.x_k), ("x_v", a.x_v), ("g", a.g)]
    parameters = [
        ("w_q", a.w_q),
        ("w_k", a.w_k),
        ("w_v", a.w_v),
        ("A_log", a.A_log),
        ("dt_bias", a.dt_bias),
        *biases,
    ]
    input_contract.check_activation_dtypes((*rows, ("beta", a.beta)))
    input_contract.check_parameter_dtypes(parameters)
    input_contract.check_window_dtypes((("cs_q", a.cs_q), ("cs_k", a.cs_k), ("cs_v", a.cs_v)))
    if norm:
        rows.append(("onorm_gate", norm[0]))
        parameters.append(("onorm_weight", norm[1]))
    memory_contract.check_row_layout(rows)
    memory_contract.check_parameter_layout(parameters)


def check_token_shapes(activations: Sequence[Tensor], N: int, H: int) -> None:
    """Check that x_q, x_k, x_v, g and beta hold one token per request and head.

    Raises:
        ContractError: one does not.
    """
    row = (1, N, H, HEAD_DIM)
    wanted = (row, row, row, row, row[:3])
    for name, tensor, want in zip(_ACTIVATIONS, activations, wanted, strict=True):
        if tensor.shape != want:
            shape = tuple(tensor.shape)
            raise ContractError(
                "EKB0823",
                f"expected {name} of shape {want} to decode one token per request, got {shape}",
            )


def check_decode_values(a: DecodeArguments) -> None:
    """Read the slots from the device and check them.

    Raises:
        ContractError: the stream is being captured.
        DeviceContractError: a slot is past the pool, or two live requests share one.
    """
    device_contract.check_not_capturing(a.x_q)
    device_contract.check_slots(a.ssm_state_indices, a.recurrent_state.shape[0], written=True)
