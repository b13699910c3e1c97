"""Update step of the depthwise causal convolution, in place on its windows."""

from __future__ import annotations

import torch
import triton
from torch import Tensor

from kda_kernels.conv_contract import check_conv_update
from kda_kernels.conv_kernel import conv_kernel
from kda_kernels.device_math import INTERPRETED
from kda_kernels.launch import CONV_BLOCK
from kda_kernels.memory_contract import check_backend


def causal_conv1d_update(
    x: Tensor,
    conv_state: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    activation: str | None = None,
    conv_state_indices: Tensor | None = None,
) -> Tensor:
    """Convolve the next tokens of B requests and shift their windows in place.

    The arguments have the names and order that causal-conv1d gives them, without the circular
    buffer. `reference_conv.causal_conv1d_update` states the equations; sums are fp32, tap 0 meets
    the oldest input.

    Args:
        x: [B, C], one token, or [B, C, S], S tokens of every request; any float dtype and strides.
        conv_state: [P, C, 3], the last three inputs, oldest first, in x's dtype; any strides.
        weight: [C, 4], taps, any float dtype; contiguous.
        bias: [C] contiguous, or None.
        activation: "silu" or "swish" for SiLU, None for none.
        conv_state_indices: [B] int32 or int64, the slot of each request; a negative slot is
            padding: zeros in the output, window untouched. By default request b has slot b.

    Returns:
        A new tensor of x's shape and dtype.

    Raises:
        ContractError: an argument breaks the contract; nothing was launched or written.
        BackendUnavailableError: CPU tensors without TRITON_INTERPRET=1.
    """
    check_conv_update(x, conv_state, weight, bias, activation, conv_state_indices)
    check_backend(x, INTERPRETED)
    tokens = x if x.ndim == 3 else x[..., None]
    out = torch.empty_like(x)
    y = out if x.ndim == 3 else out[..., None]
    B, C, S = tokens.shape
    if out.numel() == 0:
        return out
    indices = conv_state_indices
    with torch.cuda.device(x.get_device()):
        conv_kernel[(B, triton.cdiv(C, CONV_BLOCK))](
            tokens,
            weight,
            bias,
            conv_state,
            None,
            y,
            indices,
            None,
            None,
            S,
            conv_state.shape[0],
            0,
            0,
            C,
            C,
            (tokens.stride(0), tokens.stride(2), 0, tokens.stride(1)),
            (y.stride(0), y.stride(2), y.stride(1)),
            conv_state.stride(),
            (0, 0, 0, 0),
            (0 if indices is None else indices.stride(0), 0, 0),
            ACTIVATE=activation is not None,
            ROUND=False,
            IN_PLACE=True,
            BLOCK=CONV_BLOCK,
            num_warps=4,
        )
    return out
