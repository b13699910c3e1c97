"""The steps of KDA on the device that several kernels share, and what they ask of the hardware. All
arithmetic is fp32.

bf16 values are widened as soon as they are loaded: products of bf16 are wrong in Triton's
interpreter, and too coarse on a GPU. The equations are those of Kimi Linear (arXiv:2510.26692) with
the safe gate of Kimi K3.
"""

# Triton compiles these functions from their source; their values have no Python types, and a
# device function has one parameter per value.
# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators
# ruff: noqa: ANN001, ANN201

from __future__ import annotations

import triton
import triton.language as tl
from triton.language.target_info import cuda_capability_geq, is_hip

INTERPRETED: bool = triton.knobs.runtime.interpret
"""Whether TRITON_INTERPRET=1 was set when the kernels were defined; later changes do nothing."""

_TRUNCATES = tl.constexpr(INTERPRETED)


_LOG2_E = tl.constexpr(1.4426950408889634)


@triton.constexpr_function
def dot_precision(wanted):
    """The precision of a product: `wanted`, or fp32 where the backend does not have it.

    AMD has no `tf32x3`; the interpreter multiplies in fp32 in any case.
    """
    return "ieee" if INTERPRETED or is_hip() else wanted


@triton.constexpr_function
def has_ptx():
    """Whether this is compiled for NVIDIA's compute capability 8.0 or newer, whose assembly can be
    asked for then."""
    return not INTERPRETED and cuda_capability_geq(8, 0)


@triton.jit
def discard_lines(lines):
    """Give up the 128-byte lines of global memory at these addresses, which are theirs alone.

    What they hold is undefined then, and never written from the L2 cache to memory. Nothing is done
    without `has_ptx`.
    """
    if has_ptx():
        tl.inline_asm_elementwise(
            "discard.global.L2 [$1], 128; mov.u32 $0, 0;",
            "=r,l",
            [lines.to(tl.int64)],
            dtype=tl.int32,
            is_pure=False,
            pack=1,
        )


@triton.jit
def prefetch_lines(lines):
    """Ask for the 128-byte lines of global memory at these addresses, to be in L2 when needed.

    Nothing is done without `has_ptx`.
    """
    if has_ptx():
        tl.inline_asm_elementwise(
            "prefetch.global.L2 [$1]; mov.u32 $0, 0;",
            "=r,l",
            [lines.to(tl.int64)],
            dtype=tl.int32,
            is_pure=False,
            pack=1,
        )


@triton.jit
def lanes_if(index, present):
    """The mask of all of `index` [...], values from 0 to 2^30, if the scalar `present` holds.

    Triton 3.9's interpreter takes no mask that is the conjunction of a vector and a scalar; the
    compiler sees that this one is the same for whole vectors, as it sees it of `index < N`.
    """
    return index < tl.where(present, 1 << 30, 0)


@triton.jit
def exp(x):
    """e^x by the hardware's base-2 exponential; results below 2^-126 are zero."""
    return tl.exp2(x * _LOG2_E)


@triton.jit
def inverse_root(x):
    """1 / sqrt(x) to two units in the last place; 0 at infinity."""
    return tl.rsqrt(x)


@triton.jit
def sigmoid(x):
    """1 / (1 + exp(-x)); exact limits at both infinities.

    The square of an inverse root: 5 instructions where an exact division makes 14, and its
    relative error, below 1e-6, is under that of the state's own fp32 sums.
    """
    root = tl.rsqrt(1.0 + exp(-x))
    return root * root


@triton.jit
def conv_silu(u0, u1, u2, x, w0, w1, w2, w3):
    """Width-4 depthwise convolution and SiLU: inputs and taps oldest first, one per channel."""
    y = u0 * w0 + u1 * w1 + u2 * w2 + x * w3
    return y * sigmoid(y)


@triton.jit
def safe_log_decay(logit, bias, rate, lower_bound):
    """The log decay lower_bound * sigmoid(rate * (logit + bias)), where rate = exp(A_log)."""
    return lower_bound * sigmoid(rate * (logit + bias))


@triton.jit
def gated_rms_norm(o, gate, weight, eps, D: tl.constexpr):
    """o / sqrt(mean(o^2) + eps) * weight * sigmoid(gate) of one vector of D values."""
    return o * (1.0 / tl.sqrt(tl.sum(o * o, axis=0) / D + eps)) * weight * sigmoid(gate)


@triton.jit
def round_to_bf16(x):
    """The nearest bf16 of an fp32 value, ties to even, as fp32.

    The interpreter's conversion truncates, so there the rounding is done on the bits; a NaN is
    passed through because the carry could turn it into a number.
    """
    if _TRUNCATES:
        bits = x.to(tl.int32, bitcast=True)
        bits = (bits + 0x7FFF + ((bits >> 16) & 1)) & -0x10000
        is_nan = x != x  # noqa: PLR0124, what the comparison is for
        rounded = tl.where(is_nan, x, bits.to(tl.float32, bitcast=True))
    else:
        rounded = x.to(tl.bfloat16).to(tl.float32)
    return rounded
