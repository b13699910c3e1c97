"""First launch of the streamed verify: everything about a request's tokens but its state.

The T1 tokens of a verify see a state that nothing updates in between, so the recurrence over
tokens is linear algebra on small matrices, and the state is needed in one product only. With the
cumulative decay D_t = exp(gamma_1 + ... + gamma_t) of a head, per key channel,

    kd_t = k_t * D_t,  qd_t = q_t * D_t,  ki_t = k_t / D_t,
    A[t, s] = b_t (kd_t . ki_s) for s < t,   B[t, s] = qd_t . ki_s for s <= t,

the corrections e of the delta rule solve (1 + A) e = b * (V - kd S^T), and the outputs are
qd S^T + B e = qd S^T + Z (V - kd S^T) with Z = B (1 + A)^-1 diag(b). 1 / D_t is finite in fp32
as long as T1 * |lower_bound| is 80 at most (`launch.STREAMED_DECAY_LIMIT`); A is nilpotent, so its
inverse is a short product.

This launch writes the stacked rows [kd; qd], split into two bf16 parts, and the matrix [-Z, 1], the
rings of key, decay and strength, and the windows of q and k; `verify_stream_kernel` does the rest.
One program per request and head, one warp for up to eight tokens: a vector of 128 channels is four
values a lane, the tokens are unrolled, and every load is issued before the first store, which the
compiler may not reorder. More tokens, and any number on AMD's GPUs, are cut into groups of
consecutive ones, a warp each.
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
    discard_lines,
    exp,
    has_ptx,
    inverse_root,
    round_to_bf16,
    safe_log_decay,
    sigmoid,
)
from kda_kernels.verify_tokens import (
    OPERAND_SCALE,
    add_split_product,
    request_span,
    split_bf16,
)


@triton.jit
def _load_taps(weight, channel):
    """The four convolution taps of each channel, oldest first.

    Triton gives a lane four channels, and would load their sixteen taps one by one.
    """
    taps = weight + channel * 4
    if has_ptx():
        return tl.inline_asm_elementwise(
            "ld.global.nc.v4.f32 {$0, $1, $2, $3}, [$4];",
            "=f,=f,=f,=f,l",
            [taps.to(tl.int64)],
            dtype=(tl.float32, tl.float32, tl.float32, tl.float32),
            is_pure=True,
            pack=1,
        )
    else:  # noqa: RET505, two returns in turn do not compile
        return tl.load(taps), tl.load(taps + 1), tl.load(taps + 2), tl.load(taps + 3)


@triton.jit
def _load_inputs(
    x, x_strides, cs, cs_strides, token, slot, head, first, key, length, S: tl.constexpr
):  # fmt: skip
    """The inputs of each group's S tokens and the three before them, bf16 [G, 128] each."""
    x += token * x_strides[0] + head * x_strides[1] + key[None, :]
    window = cs + slot * cs_strides[0] + (head * 128 + key)[None, :] * cs_strides[1]
    inputs = ()
    for i in tl.static_range(S + 3):
        t = first + (i - 3)
        at = t[:, None].to(tl.int64)
        new = ((t >= 0) & (t < length))[:, None]
        u = tl.load(x + at * x_strides[0], mask=new, other=0.0)
        if i < 3:
            old = (t < 0)[:, None]
            stored = tl.load(window + (at + 3) * cs_strides[2], mask=old, other=0.0)
            u = tl.where(old, stored, u)
        inputs = inputs + (u,)
    return inputs


@triton.jit
def _store_windows(windows, strides, row, head, inputs, first, key, length, S: tl.constexpr):
    """The window after every token that the request has, in its scratch row."""
    at = windows + row * strides[0] + (head * 128 + key)[None, :] * strides[2]
    tap = tl.cast(strides[3], tl.int64)
    for i in tl.static_range(S):
        t = (first + i)[:, None]
        here = at + t.to(tl.int64) * strides[1]
        for j in tl.static_range(3):
            tl.store(here + tap * j, inputs[i + j + 1], mask=t < length)


@triton.jit
def _conv_silu(inputs, t: tl.constexpr, w0, w1, w2, w3, ROUND_CONV: tl.constexpr):
    """Convolution and SiLU of each group's token t, [G, 128]."""
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
def _store_parts(high_at, low_at, x):
    """Both parts of x."""
    high, low = split_bf16(x)
    tl.store(high_at, high)
    tl.store(low_at, low)


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


@triton.jit
def _store_matrix(rows, matrix, strength, TT: tl.constexpr, TS: tl.constexpr):
    """[-Z, 1] from the operands of a program in `rows`, of which ki ends here."""
    D: tl.constexpr = 128
    key = tl.arange(0, D)
    t = tl.arange(0, TT)
    # The rows come back as matrices, written by other lanes of this program.
    tl.debug_barrier()
    both = tl.arange(0, 2 * TT)
    kd_qd = rows + (both // TT * TS + both % TT)[:, None] * D + key[None, :]
    has_kd_qd = (both % TT < TS)[:, None]
    ki = rows + (4 * TS + t)[:, None] * D + key[None, :]
    has_ki = (t < TS)[:, None]
    products = add_split_product(
        tl.zeros([2 * TT, TT], tl.float32),
        tl.load(kd_qd, mask=has_kd_qd, other=0.0),
        tl.load(kd_qd + 2 * TS * D, mask=has_kd_qd, other=0.0),
        tl.trans(tl.load(ki, mask=has_ki, other=0.0)),
        tl.trans(tl.load(ki + TS * D, mask=has_ki, other=0.0)),
    )
    kk, qk = tl.split(tl.permute(tl.reshape(products, (2, TT, TT)), (1, 2, 0)))
    z = _output_matrix(kk, qk, strength, TT)
    cell = matrix + t[:, None] * (2 * TS) + t[None, :]
    tl.store(cell, -z, mask=(t < TS)[None, :])
    tl.store(cell + TS, tl.where(t[:, None] == t[None, :], 1.0, 0.0), mask=(t < TS)[None, :])

    # Nothing else reads ki.
    tl.debug_barrier()
    discard_lines(rows + 4 * TS * D + tl.arange(0, 4 * TS) * 64)


@triton.jit(do_not_specialize=["T", "P", "R"])
def verify_prologue_kernel(
    x_q, x_k, w_q, w_k, cs_q, cs_k, g, beta, A_log, dt_bias, slots, cu_seqlens,
    scratch_rows, conv_q, conv_k, rawk, ring_g, ring_beta, stacked, matrices,
    x_q_strides, x_k_strides, cs_q_strides, cs_k_strides, g_strides, beta_strides,
    slots_strides, cu_strides, rows_strides, conv_q_strides, conv_k_strides,
    rawk_pitch, ring_g_pitch, ring_beta_pitch,
    lower_bound, scale, T, H, P, R, L,
    T1: tl.constexpr, TS: tl.constexpr, G: tl.constexpr, ROUND_CONV: tl.constexpr,
    OVERLAP: tl.constexpr,
):  # fmt: skip
    """Tokens of one request and head. The grid is (N * H,).

    With OVERLAP (compute capability 9.0 and newer) the second launch may start once a warp of every
    program here has read inputs: what it prefetches would compete with them. For the results it
    waits itself.

    `stacked` is [N * H, 6 TS, 128] bf16: the high parts of kd and qd, their low parts, and the two
    parts of ki, the first two multiplied and ki divided by OPERAND_SCALE; zero past the request's
    length. `matrices` is [N * H, TT, 2 TS] fp32, [-Z, 1]. TS is T1 rounded up to 4, 8 or 16, TT the
    same but 8 at least, and G the number of groups.
    """
    D: tl.constexpr = 128
    TT: tl.constexpr = TS if TS > 8 else 8  # tensor cores multiply no narrower matrix
    S: tl.constexpr = (T1 + G - 1) // G  # tokens in a group
    program = tl.program_id(0)
    n = program // H
    head = (program % H).to(tl.int64)
    slot = live_slot(slots, n, slots_strides[0], P)
    begin, _, length = request_span(cu_seqlens, cu_strides[0], n, T, T1)
    if (slot < 0) | (length == 0):
        return
    token = begin.to(tl.int64)
    key = tl.arange(0, D)
    t = tl.arange(0, TT)
    group = tl.arange(0, G)
    first = group * S  # token of each group
    channel = (head * D + key)[None, :] + group[:, None] * 0

    q_in = _load_inputs(
        x_q, x_q_strides, cs_q, cs_q_strides, token, slot, head, first, key, length, S
    )
    k_in = _load_inputs(
        x_k, x_k_strides, cs_k, cs_k_strides, token, slot, head, first, key, length, S
    )
    logits = ()
    for i in tl.static_range(S):
        at = g + (token + first + i)[:, None] * g_strides[0] + head * g_strides[1] + key[None, :]
        logits = logits + (tl.load(at, mask=(first + i < length)[:, None], other=0.0),)
    wq0, wq1, wq2, wq3 = _load_taps(w_q, channel)
    wk0, wk1, wk2, wk3 = _load_taps(w_k, channel)
    rate = tl.exp(tl.load(A_log + head))
    bias = tl.load(dt_bias + channel)
    strength_logit = tl.load(
        beta + (token + t) * beta_strides[0] + head * beta_strides[1], mask=t < length, other=0.0
    )
    row = tl.load(scratch_rows + n * rows_strides[0]).to(tl.int64)

    if (row >= 0) & (row < R):
        _store_windows(conv_q, conv_q_strides, row, head, q_in, first, key, length, S)
        _store_windows(conv_k, conv_k_strides, row, head, k_in, first, key, length, S)
    if OVERLAP:
        gdc_launch_dependents()
    strength = sigmoid(strength_logit.to(tl.float32))
    tl.store(ring_beta + slot * ring_beta_pitch + head * L + t, strength, mask=t < length)
    strength = tl.where(t < length, strength, 0.0)

    rows = stacked.to(tl.pointer_type(tl.bfloat16)) + program.to(tl.int64) * (6 * TS * D)
    place = first[:, None] * D + key[None, :]
    k_ring = rawk + slot * rawk_pitch + head * L * D + place
    g_ring = ring_g + slot * ring_g_pitch + head * L * D + place
    gammas = ()
    total = tl.zeros([G, D], tl.float32)
    for i in tl.static_range(S):
        here = (first + i < length)[:, None]
        gamma = safe_log_decay(logits[i].to(tl.float32), bias, rate, lower_bound)
        # Past the last token nothing decays: 1 / D would not be finite there.
        gamma = tl.where(here, gamma, 0.0)
        tl.store(g_ring + i * D, gamma, mask=here)
        gammas = gammas + (gamma,)
        total += gamma
    decay = tl.cumsum(total, axis=0) - total
    for i in tl.static_range(S):
        here = first + i < length
        k = _conv_silu(k_in, i, wk0, wk1, wk2, wk3, ROUND_CONV)
        q = _conv_silu(q_in, i, wq0, wq1, wq2, wq3, ROUND_CONV)
        tl.store(k_ring + i * D, round_to_bf16(k), mask=here[:, None])
        # What the last inputs convolve to past the last token can be infinite.
        k = tl.where(here[:, None], k, 0.0)
        q = tl.where(here[:, None], q, 0.0)
        k = k * inverse_root(tl.sum(k * k, axis=1) + 1e-6)[:, None]
        q = q * (inverse_root(tl.sum(q * q, axis=1) + 1e-6) * scale)[:, None]
        decay += gammas[i]
        remaining = exp(decay) * OPERAND_SCALE
        inverse = inverse_root(remaining)
        at = rows + i * D + place
        _store_parts(at, at + 2 * TS * D, k * remaining)
        _store_parts(at + TS * D, at + 3 * TS * D, q * remaining)
        _store_parts(at + 4 * TS * D, at + 5 * TS * D, k * inverse * inverse)
    for i in tl.static_range(G * S, TS):
        for block in tl.static_range(6):
            tl.store(rows + (block * TS + i) * D + key, tl.zeros([D], tl.bfloat16))

    _store_matrix(rows, matrices + program.to(tl.int64) * (2 * TT * TS), strength, TT, TS)
