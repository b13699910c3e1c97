"""The gated RMSNorm of the output as a step of its own."""

# The Triton kernel below is compiled from its source and gives its values no Python types.
# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

from kda_kernels.device_math import INTERPRETED, gated_rms_norm, round_to_bf16
from kda_kernels.launch import NORM_WARPS
from kda_kernels.memory_contract import (
    check_backend,
    check_gradients,
    check_parameter_layout,
    check_row_layout,
)
from kda_kernels.onorm_contract import check_norm
from kda_kernels.shared_contract import check_one_device


@triton.jit
def onorm_kernel(  # noqa: ANN201
    raw,  # noqa: ANN001
    gate,  # noqa: ANN001
    weight,  # noqa: ANN001
    out,  # noqa: ANN001
    H,  # noqa: ANN001
    eps,  # noqa: ANN001
    strides,  # noqa: ANN001
    D: tl.constexpr,
    KEEP_ZERO_ROWS: tl.constexpr,
):
    """Norm of one token and head; the grid is (T * H). Strides: token and head, three times."""
    token = (tl.program_id(0) // H).to(tl.int64)
    head = tl.program_id(0) % H
    lane = tl.arange(0, D)
    o = tl.load(raw + token * strides[0][0] + head * strides[0][1] + lane).to(tl.float32)
    z = tl.load(gate + token * strides[1][0] + head * strides[1][1] + lane).to(tl.float32)
    normed = round_to_bf16(gated_rms_norm(o, z, tl.load(weight + lane), eps, D))
    if KEEP_ZERO_ROWS:
        normed = tl.where(tl.max(tl.abs(o), axis=0) == 0.0, 0.0, normed)
    tl.store(out + token * strides[2][0] + head * strides[2][1] + lane, normed)


def kda_onorm_apply(
    *, raw: Tensor, gate: Tensor, weight: Tensor, out: Tensor, eps: float
) -> Tensor:
    """Write raw * rsqrt(mean(raw^2) + eps) * weight * sigmoid(gate) to `out`.

    Keywords and messages are those of sglang's function of the same name. The gate is a plain
    sigmoid. `raw` and `out` may be the same tensor.

    Args:
        raw: [1, T, H, D] bf16, D of 64, 128 or 256; last stride 1.
        gate: [1, T, H, D] bf16, logits; last stride 1.
        weight: [D] fp32, contiguous.
        out: [1, T, H, D] bf16, last stride 1; written.
        eps: added to the mean of the squares.

    Returns:
        `out`.

    Raises:
        ContractError: an argument breaks the contract; nothing was launched or written.
        BackendUnavailableError: CPU tensors without TRITON_INTERPRET=1.
    """
    check_norm(raw, gate, weight, out, eps)
    named = (("raw", raw), ("gate", gate), ("weight", weight), ("out", out))
    check_row_layout((named[0], named[1], named[3]))
    check_parameter_layout(named[2:3])
    check_one_device(named)
    check_gradients((raw, gate, weight, out), ("raw", "gate", "weight", "out"))
    check_backend(raw, INTERPRETED)
    apply_norm(raw, gate, weight, out, eps)
    return out


def apply_norm(
    raw: Tensor,
    gate: Tensor,
    weight: Tensor,
    out: Tensor,
    eps: float,
    *,
    keep_zero_rows: bool = False,
) -> None:
    """Launch the norm; `raw` may be fp32, and nothing is checked.

    With `keep_zero_rows` a row of zeros gives zeros whatever its gate holds: the gate's rows of
    padded requests may hold NaN.
    """
    _, T, H, D = raw.shape
    if T * H == 0:
        return
    strides = tuple(x.stride()[1:3] for x in (raw, gate, out))
    with torch.cuda.device(raw.get_device()):
        onorm_kernel[(T * H,)](
            raw, gate, weight, out, H, eps, strides, D, keep_zero_rows, num_warps=NORM_WARPS
        )
