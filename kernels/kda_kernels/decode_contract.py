"""What `kda_decode` demands of its arguments; calls that look alike are checked once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from torch import Tensor

from kda_kernels import contract, device_contract, input_contract, memory_contract
from kda_kernels.accepted import NOT_PLAIN, AcceptedCalls
from kda_kernels.contract import HEAD_DIM
from kda_kernels.errors import ContractError
from kda_kernels.shared_contract import check_conv_tensors, check_request_vectors

_ACTIVATIONS = ("x_q", "x_k", "x_v", "g", "beta")


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


_ACCEPTED: AcceptedCalls[tuple[int, int]] = AcceptedCalls()


def check_decode(
    a: DecodeArguments, lower_bound: float | None, scale: float, eps: float | None
) -> tuple[int, int]:
    """Make every check that needs no device memory.

    Returns:
        N requests and H heads.

    Raises:
        ContractError: an argument breaks the contract.
    """
    optional = [value for value in a[15:] if value is not None]
    tensors = (*a[:15], *optional)
    try:
        key = (
            a.x_q.shape,
            tuple(map(type, a[15:])),  # which of the optional ones were given
            a.recurrent_state.storage_offset() % 4,
            eps is None,
        )
        sizes = _ACCEPTED.find(key, tensors)
    except NOT_PLAIN:
        return _check_in_order(a, lower_bound, scale, eps)
    if sizes is not None:
        input_contract.check_numbers(-1.0 if lower_bound is None else lower_bound, scale, eps)
        return sizes
    sizes = _check_in_order(a, lower_bound, scale, eps)
    _ACCEPTED.add(key, tensors, sizes)
    return sizes


def _check_in_order(
    a: DecodeArguments, lower_bound: float | None, scale: float, eps: float | None
) -> tuple[int, int]:
    """Make the checks one after another; the first that fails names its argument."""
    N = a.ssm_state_indices.numel()
    H = a.x_q.shape[2] if a.x_q.ndim == 4 else 0
    check_token_shapes((a.x_q, a.x_k, a.x_v, a.g, a.beta), N, H)
    contract.check_state(a.recurrent_state, H)
    norm = contract.check_output_norm(a.onorm_gate, a.onorm_weight, eps, N, H)
    _check_parts(a, norm, N, H)
    input_contract.check_numbers(-1.0 if lower_bound is None else lower_bound, scale, eps)
    given = {name: value for name, value in zip(a._fields, a, strict=True) if value is not None}
    memory_contract.check_devices(tuple(given.values()), tuple(given))
    memory_contract.check_gradients(tuple(given.values()), tuple(given))
    return N, H


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
