"""First launch of the streamed verify: everything about a request's tokens but its state.

The T1 tokens of a verify see a state that nothing updates in between, so the recurrence over
tokens is linear algebra on small matrices, and the state is needed in one product only. With the
cumulative decay D_t = exp(gamma_1 + ... + gamma_t) of a head, per key channel,

    kd_t = k_t * D_t,  qd_t = q_t * D_t,  ki_t = k_t / D_t,
    A[t, s] = b_t (kd_t . ki_s) for s < t,   B[t, s] = qd_t . ki_s for s <= t,

the corrections e of the delta rule solve (1 + A) e = b * (V - kd S^T), and the outputs are
qd S^T + B e = qd S^T + Z (V - kd S^T) with Z = B (1 + A)^-1 diag(b). 1 / D_t is finite in fp32
as long as T1 * |lower_bound| stays below 80 (`launch.STREAMED_DECAY_LIMIT`); A is nilpotent, so
its inverse is a short product.

This launch writes the stacked rows [kd; qd; ki] and the matrix [-Z, 1], the rings of key, decay
and strength, and the windows of q and k; `verify_stream_kernel` does the rest. One program per
request and head, one warp: a vector of 128 channels is four values a lane, the tokens are
unrolled, and every load is issued before the first store, which the compiler may not reorder.
"""

# Triton compiles these functions from their source: their values have no Python types, and a
# device function has one parameter per value. Its compiler grows tuples by `+` only, and a kernel's
# walk over its tensors is one straight line.
# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators
# mypy: disable-error-code="assignment"
# ruff: noqa: ANN001, ANN201, ANN202, PLR0915, RUF005

from __future__ import annotations

import triton
import triton.language as tl
from triton.language.extra.cuda import gdc_launch_dependents

from kda_kernels.delta_rule import live_slot
from kda_kernels.device_math import (
    dot_precision,
    exp,
    inverse_root,
    lanes_if,
    round_to_bf16,
    safe_log_decay,
    sigmoid,
)
from kda_kernels.verify_tokens import load_taps, request_span


@triton.jit
def _load_inputs(x, x_row, x_step, window, window_step, key, length, T1: tl.constexpr):
    """The three committed inputs and those of the T1 tokens, bf16 [128] each, oldest first."""
    inputs = ()
    for i in tl.static_range(3):
        inputs = inputs + (tl.load(window + i * window_step),)
    for i in tl.static_range(T1):
        inputs = inputs + (
            tl.load(x + x_row + i * x_step, mask=lanes_if(key, i < length), other=0.0),
        )
    return inputs


@triton.jit
def _store_windows(windows, step, column, inputs, key, length, T1: tl.constexpr):
    """The window after every token that the request has."""
    for i in tl.static_range(T1):
        mask = lanes_if(key, i < length)
        for j in tl.static_range(3):
            tl.store(windows + i * step + j * column, inputs[i + j + 1], mask=mask)


@triton.jit
def _conv_silu(inputs, t: tl.constexpr, w0, w1, w2, w3, ROUND_CONV: tl.constexpr):
    """Convolution and SiLU of token t."""
    y = (
        inputs[t].to(tl.float32) * w0
        + inputs[t + 1].to(tl.float32) * w1
        + inputs[t + 2].to(tl.float32) * w2
        + inputs[t + 3].to(tl.float32) * w3
    )
    y = y * sigmoid(y)
    if ROUND_CONV:
        y = round_to_bf16(y)
    return y


@triton.jit
def _small_product(a, b):
    """a b for matrices that are too small for tensor cores."""
    return tl.sum(a[:, :, None] * b[None, :, :], axis=1)


@triton.jit
def _output_matrix(kk, qk, strength, TT: tl.constexpr):
    """Z = B (1 + A)^-1 diag(b) from the products kk = kd ki^T and qk = qd ki^T, all [TT, TT].

    With M = -A, (1 - M)^-1 = (1 + M)(1 + M^2)(1 + M^4)..., and M^TT = 0.
    """
    row = tl.arange(0, TT)[:, None]
    column = tl.arange(0, TT)[None, :]
    power = tl.where(row > column, -kk * strength[:, None], 0.0)
    inverse = tl.where(row == column, 1.0, 0.0) + power
    power = _small_product(power, power)
    inverse = inverse + _small_product(inverse, power)
    power = _small_product(power, power)
    inverse = inverse + _small_product(inverse, power)
    if TT == 16:
        power = _small_product(power, power)
        inverse = inverse + _small_product(inverse, power)
    return _small_product(tl.where(row >= column, qk, 0.0), inverse) * strength[None, :]


@triton.jit(do_not_specialize=["T", "P", "R"])
def verify_prologue_kernel(
    x_q, x_k, w_q, w_k, cs_q, cs_k, g, beta, A_log, dt_bias, slots, cu_seqlens,
    scratch_rows, conv_q, conv_k, rawk, ring_g, ring_beta, stacked, matrices,
    x_q_strides, x_k_strides, cs_q_strides, cs_k_strides, g_strides, beta_strides,
    slots_strides, cu_strides, rows_strides, conv_q_strides, conv_k_strides,
    rawk_pitch, ring_g_pitch, ring_beta_pitch,
    lower_bound, scale, T, H, P, R, L,
    T1: tl.constexpr, TT: tl.constexpr, ROUND_CONV: tl.constexpr, OVERLAP: tl.constexpr,
):  # fmt: skip
    """Tokens of one request and head. The grid is (N * H,).

    With OVERLAP (compute capability 9.0 and newer) the second launch may start once every program
    of this one runs; it waits for their results itself.

    `stacked` is [N * H, 3 TT, 128] fp32 (rows kd, qd, ki; zero past the request's length) and
    `matrices` [N * H, TT, 2 TT] fp32, [-Z, 1]. TT is T1 rounded up to 8 or 16.
    """
    D: tl.constexpr = 128
    if OVERLAP:
        gdc_launch_dependents()
    program = tl.program_id(0)
    n = program // H
    head = (program % H).to(tl.int64)
    slot = live_slot(slots, n, slots_strides[0], P)
    begin, _, length = request_span(cu_seqlens, cu_strides[0], n, T, T1)
    if (slot < 0) | (length == 0):
        return
    token = begin.to(tl.int64)
    key = tl.arange(0, D)
    channel = head * D + key
    t = tl.arange(0, TT)

    q_in = _load_inputs(
        x_q, token * x_q_strides[0] + head * x_q_strides[1] + key, x_q_strides[0],
        cs_q + slot * cs_q_strides[0] + channel * cs_q_strides[1], cs_q_strides[2],
        key, length, T1,
    )  # fmt: skip
    k_in = _load_inputs(
        x_k, token * x_k_strides[0] + head * x_k_strides[1] + key, x_k_strides[0],
        cs_k + slot * cs_k_strides[0] + channel * cs_k_strides[1], cs_k_strides[2],
        key, length, T1,
    )  # fmt: skip
    logits = ()
    for i in tl.static_range(T1):
        logits = logits + (
            tl.load(
                g + (token + i) * g_strides[0] + head * g_strides[1] + key,
                mask=lanes_if(key, i < length),
                other=0.0,
            ),
        )
    wq0, wq1, wq2, wq3 = load_taps(w_q, channel)
    wk0, wk1, wk2, wk3 = load_taps(w_k, channel)
    rate = tl.exp(tl.load(A_log + head))
    bias = tl.load(dt_bias + channel)
    strength_logit = tl.load(
        beta + (token + t) * beta_strides[0] + head * beta_strides[1], mask=t < length, other=0.0
    )
    row = tl.load(scratch_rows + n * rows_strides[0]).to(tl.int64)

    if (row >= 0) & (row < R):
        _store_windows(
            conv_q + row * conv_q_strides[0] + channel * conv_q_strides[2],
            conv_q_strides[1], conv_q_strides[3], q_in, key, length, T1,
        )  # fmt: skip
        _store_windows(
            conv_k + row * conv_k_strides[0] + channel * conv_k_strides[2],
            conv_k_strides[1], conv_k_strides[3], k_in, key, length, T1,
        )  # fmt: skip
    strength = sigmoid(strength_logit.to(tl.float32))
    tl.store(ring_beta + slot * ring_beta_pitch + head * L + t, strength, mask=t < length)
    strength = tl.where(t < length, strength, 0.0)

    rows = stacked + program.to(tl.int64) * (3 * TT * D)
    k_ring = rawk + slot * rawk_pitch + head * L * D + key
    g_ring = ring_g + slot * ring_g_pitch + head * L * D + key
    decay = tl.zeros([D], tl.float32)
    for i in tl.static_range(T1):
        mask = lanes_if(key, i < length)
        k = _conv_silu(k_in, i, wk0, wk1, wk2, wk3, ROUND_CONV)
        q = _conv_silu(q_in, i, wq0, wq1, wq2, wq3, ROUND_CONV)
        tl.store(k_ring + i * D, round_to_bf16(k), mask=mask)
        gamma = safe_log_decay(logits[i].to(tl.float32), bias, rate, lower_bound)
        tl.store(g_ring + i * D, gamma, mask=mask)
        present = tl.where(i < length, 1.0, 0.0)
        k = k * (inverse_root(tl.sum(k * k, axis=0) + 1e-6) * present)
        q = q * (inverse_root(tl.sum(q * q, axis=0) + 1e-6) * (scale * present))
        decay += gamma
        remaining = exp(decay)
        tl.store(rows + i * D + key, k * remaining)
        tl.store(rows + (TT + i) * D + key, q * remaining)
        tl.store(rows + (2 * TT + i) * D + key, k * exp(-decay))
    for i in tl.static_range(T1, TT):
        for block in tl.static_range(3):
            tl.store(rows + (block * TT + i) * D + key, tl.zeros([D], tl.float32))

    # The rows come back as matrices, written by other lanes of this program.
    tl.debug_barrier()
    both = tl.arange(0, 2 * TT)
    kd_qd = tl.load(rows + both[:, None] * D + key[None, :])
    ki = tl.load(rows + (2 * TT + t)[:, None] * D + key[None, :])
    products = tl.dot(kd_qd, tl.trans(ki), input_precision=dot_precision("tf32x3"))
    kk, qk = tl.split(tl.permute(tl.reshape(products, (2, TT, TT)), (1, 2, 0)))
    z = _output_matrix(kk, qk, strength, TT)
    cell = matrices + program.to(tl.int64) * (2 * TT * TT) + t[:, None] * (2 * TT) + t[None, :]
    tl.store(cell, -z)
    tl.store(cell + TT, tl.where(t[:, None] == t[None, :], 1.0, 0.0))
