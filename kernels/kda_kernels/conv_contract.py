"""What `causal_conv1d_update` demands of its arguments."""

from __future__ import annotations

from torch import Tensor

from kda_kernels.errors import ContractError
from kda_kernels.memory_contract import check_gradients, check_parameter_layout
from kda_kernels.shared_contract import (
    check_float_dtypes,
    check_one_device,
    check_request_vectors,
)

TAPS = 4
ACTIVATIONS = (None, "silu", "swish")


def check_conv_update(
    x: Tensor,
    conv_state: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    activation: str | None,
    indices: Tensor | None,
) -> None:
    """Make every check of the update step; none reads device memory.

    Raises:
        ContractError: an argument breaks the contract.
    """
    if x.ndim not in (2, 3):
        shape = tuple(x.shape)
        raise ContractError("EKB4107", f"expected x as [B, C] or [B, C, S], got shape {shape}")
    B, C = x.shape[:2]
    if weight.ndim != 2 or weight.shape[1] != TAPS:
        shape = tuple(weight.shape)
        raise ContractError(
            "EKB2560", f"expected a convolution of width 4, weight [C, 4]; got weight {shape}"
        )
    if conv_state.ndim != 3 or conv_state.shape[1:] != (C, TAPS - 1):
        shape = tuple(conv_state.shape)
        raise ContractError("EKB3967", f"expected conv_state [slots, C={C}, 3], got shape {shape}")
    if weight.shape[0] != C or (bias is not None and bias.shape != (C,)):
        taps, offsets = tuple(weight.shape), None if bias is None else tuple(bias.shape)
        raise ContractError(
            "EKB5756",
            f"expected weight ({C}, 4) and bias ({C},) for the {C} channels of x, "
            f"got weight {taps} and bias {offsets}",
        )
    if activation not in ACTIVATIONS:
        got = repr(activation)
        raise ContractError("EKB1728", f"expected activation 'silu', 'swish' or None, got {got}")
    if conv_state.dtype != x.dtype:
        dtype, wanted = conv_state.dtype, x.dtype
        raise ContractError(
            "EKB9290",
            f"expected conv_state in {wanted}, the dtype of the inputs it keeps; got {dtype}",
        )
    if indices is None and conv_state.shape[0] < B:
        slots = conv_state.shape[0]
        raise ContractError(
            "EKB4996",
            f"expected at least {B} slots in conv_state without conv_state_indices, got {slots}",
        )
    named = [("x", x), ("conv_state", conv_state), ("weight", weight)]
    if bias is not None:
        named.append(("bias", bias))
    check_float_dtypes(named)
    check_parameter_layout(named[2:])
    if indices is not None:
        check_request_vectors((("conv_state_indices", indices),), B)
        named.append(("conv_state_indices", indices))
    check_one_device(named)
    check_gradients([tensor for _, tensor in named], [name for name, _ in named])
