"""Gate and convolution in the forms that only the ops besides verify need."""

# Triton compiles these functions from their source and gives their values no Python types.
# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators
# ruff: noqa: ANN001, ANN201

from __future__ import annotations

import triton
import triton.language as tl

from kda_kernels.device_math import round_to_bf16, safe_log_decay, sigmoid


@triton.jit
def softplus(x):
    """log(1 + exp(x)), linear above 20."""
    return tl.where(x > 20.0, x, tl.log(1.0 + tl.exp(x)))


@triton.jit
def log_decay(logit, bias, rate, lower_bound, SAFE: tl.constexpr):
    """Log decay by the safe gate, or by the softplus gate; clamping the latter is no safe gate."""
    if SAFE:
        gamma = safe_log_decay(logit, bias, rate, lower_bound)
    else:
        gamma = -rate * softplus(logit + bias)
    return gamma


@triton.jit
def conv_sum(u0, u1, u2, x, w0, w1, w2, w3, bias):
    """Width-4 depthwise convolution with its bias: inputs and taps oldest first."""
    return u0 * w0 + u1 * w1 + u2 * w2 + x * w3 + bias


@triton.jit
def silu(x):
    """x * sigmoid(x)."""
    return x * sigmoid(x)


@triton.jit
def cast(x, DTYPE: tl.constexpr):
    """An fp32 value in another float dtype, rounded to nearest in the interpreter as well."""
    if tl.bfloat16 == DTYPE:
        x = round_to_bf16(x)
    return x.to(DTYPE)
