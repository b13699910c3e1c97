"""What the kernels of verify share about the tokens of one request and head: span, convolution,
and the product in three bf16 passes.

Tokens are the rows of tiles [TT, 128]; `t` are their places in the request.
"""

# Triton compiles these functions from their source: their values have no Python types, and a
# device function has one parameter per value.
# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators
# ruff: noqa: ANN001, ANN201, ANN202

from __future__ import annotations

import triton
import triton.language as tl

from kda_kernels.device_math import INTERPRETED, round_to_bf16, sigmoid

_INTERPRETED = tl.constexpr(INTERPRETED)

OPERAND_SCALE = tl.constexpr(2.0**20)
"""What the streamed verify multiplies kd and qd by and divides ki by. D goes down to 2^-115, and
the low bf16 part of a kd that small is no normal number. A power of two changes no rounding, and
this one lets the products with a state of 1e30 stay finite.
"""


@triton.jit
def request_span(cu_seqlens, stride, n, T, T1):
    """First token of request n and its length, both clipped to what exists."""
    begin = tl.minimum(tl.maximum(tl.load(cu_seqlens + n * stride), 0), T)
    end = tl.minimum(tl.maximum(tl.load(cu_seqlens + (n + 1) * stride), begin), T)
    return begin, end, tl.minimum(end - begin, T1)


@triton.jit
def load_taps(weight, channel):
    """The four convolution taps of each channel, oldest first."""
    taps = weight + channel * 4
    return tl.load(taps), tl.load(taps + 1), tl.load(taps + 2), tl.load(taps + 3)


@triton.jit
def _shifted_inputs(x_row, x_step, window, window_step, index, length):
    """Inputs [TT, 128] at token positions `index`; positions below 0 are in the window."""
    inside = (index >= 0) & (index < length)
    at = index[:, None].to(tl.int64)
    new = tl.load(x_row + at * x_step, mask=inside[:, None], other=0.0)
    stored = tl.load(window + (at + 3) * window_step, mask=(index < 0)[:, None], other=0.0)
    return tl.where((index >= 0)[:, None], new, stored)


@triton.jit
def load_request_inputs(
    x, x_strides, cs, cs_strides, token, slot, head, t, length
):  # fmt: skip
    """The four inputs of each convolution at tokens t [TT], oldest first, bf16 [TT, 128] each."""
    lane = tl.arange(0, 128)
    x_row = x + token * x_strides[0] + head * x_strides[1] + lane[None, :]
    window = cs + slot * cs_strides[0] + (head * 128 + lane)[None, :] * cs_strides[1]
    u0 = _shifted_inputs(x_row, x_strides[0], window, cs_strides[2], t - 3, length)
    u1 = _shifted_inputs(x_row, x_strides[0], window, cs_strides[2], t - 2, length)
    u2 = _shifted_inputs(x_row, x_strides[0], window, cs_strides[2], t - 1, length)
    u3 = _shifted_inputs(x_row, x_strides[0], window, cs_strides[2], t, length)
    return u0, u1, u2, u3


@triton.jit
def convolve_rows(u0, u1, u2, u3, w0, w1, w2, w3):
    """Convolution and SiLU of inputs [TT, 128] by taps [128]."""
    y = (
        u0.to(tl.float32) * w0[None, :]
        + u1.to(tl.float32) * w1[None, :]
        + u2.to(tl.float32) * w2[None, :]
        + u3.to(tl.float32) * w3[None, :]
    )
    return y * sigmoid(y)


@triton.jit
def store_request_windows(
    windows, strides, row, head, u1, u2, u3, t, length
):  # fmt: skip
    """The windows after those of the tokens t that the request has, in its scratch row."""
    lane = tl.arange(0, 128)
    has_token = (t < length)[:, None]
    at = (
        windows
        + row * strides[0]
        + t[:, None].to(tl.int64) * strides[1]
        + (head * 128 + lane)[None, :] * strides[2]
    )
    tl.store(at, u1, mask=has_token)
    tl.store(at + strides[3], u2, mask=has_token)
    tl.store(at + tl.cast(strides[3], tl.int64) * 2, u3, mask=has_token)


@triton.jit
def zero_uncomputed_rows(out_row, step, n, N, begin, computed, end, T, D: tl.constexpr):
    """Zero the output rows of request n that nobody computes, and those before and after all."""
    nothing = tl.zeros([D], dtype=tl.float32)
    for token in range(tl.where(n == 0, 0, begin), begin):
        tl.store(out_row + tl.cast(token, tl.int64) * step, nothing)
    for token in range(begin + computed, tl.where(n == N - 1, T, end)):
        tl.store(out_row + tl.cast(token, tl.int64) * step, nothing)


@triton.jit
def split_bf16(x):
    """High and low part of an fp32 value, both bf16: together 16 bits of its mantissa at least.

    The high part is cut off and not rounded: one instruction, where a conversion there and back
    takes two, and one of them is slow.
    """
    high = (x.to(tl.int32, bitcast=True) & -65536).to(tl.float32, bitcast=True)
    return high.to(tl.bfloat16), round_to_bf16(x - high).to(tl.bfloat16)


@triton.jit
def add_split_product(total, a_high, a_low, b_high, b_low):
    """total [M, N] + (a_high + a_low) [M, K] (b_high + b_low) [K, N], but for a_low b_low.

    What is left out is below 2^-14 of a product, as high parts are cut off. The interpreter
    multiplies no bf16.
    """
    if _INTERPRETED:
        a = a_high.to(tl.float32) + a_low.to(tl.float32)
        b = b_high.to(tl.float32) + b_low.to(tl.float32)
        total += tl.dot(a, b, input_precision="ieee")
    else:
        total = tl.dot(a_low, b_high, total)
        total = tl.dot(a_high, b_low, total)
        total = tl.dot(a_high, b_high, total)
    return total
