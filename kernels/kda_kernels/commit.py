"""Commit after a verify step: fold the rings into the state, or copy the accepted snapshot.

Verify is speculative: it leaves the pools alone and writes what every draft token would do. Once
the accepted length of each request is known, the state must advance by that many tokens and the
convolution windows with it. `commit_after_verify` does both; the fold alone is
`commit_kda_replayssm_spec`. The names and the order of the fold's arguments are sglang's
(sglang/kernels/ops/attention/linear/kda_replayssm_spec_decode.py in 0.5.23).

A slot below 0 is null; slots past the pool are skipped as well. Nothing here reads device memory
on the host, so every call is legal inside a captured CUDA graph; the kernels clamp the accepted
lengths to what the buffers hold.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import torch
import triton
from torch import Tensor

from kda_kernels import commit_contract as contract
from kda_kernels.commit_contract import Rings
from kda_kernels.commit_device import fold_kernel, rollback_kernel, snapshot_kernel
from kda_kernels.device_contract import check_not_capturing, check_scratch_rows, check_slots
from kda_kernels.device_math import INTERPRETED
from kda_kernels.input_contract import check_mode
from kda_kernels.launch import CONV_BLOCK, COPY_BLOCK, fold_tile, pitch_unit, register_limit
from kda_kernels.memory_contract import check_backend
from kda_kernels.shared_contract import (
    check_accepted,
    check_offsets,
    check_one_device,
    check_request_vectors,
)

_RING_NAMES = ("rawv_cache", "rawk_cache", "gk_cache", "beta_cache")
_VERIFY_RING_NAMES = ("replayssm_rawv", "replayssm_rawk", "replayssm_g", "replayssm_beta")

_COMMIT_KEYWORDS = (
    "recurrent_state",
    "cs_q",
    "cs_k",
    "cs_v",
    "ssm_state_indices",
    "intermediate_state_indices",
    "intermediate_conv_q",
    "intermediate_conv_k",
    "intermediate_conv_v",
    "intermediate_ssm",
    *_VERIFY_RING_NAMES,
    "cu_seqlens",
)


class _Requests(NamedTuple):
    """The index tensors of a commit, each [N] but for cu_seqlens."""

    ssm_state_indices: Tensor
    accept_lens: Tensor
    cu_seqlens: Tensor | None = None
    mamba_track_indices: Tensor | None = None
    mamba_steps_to_track: Tensor | None = None
    intermediate_state_indices: Tensor | None = None

    def named(self) -> list[tuple[str, Tensor]]:
        pairs = zip(self._fields, self, strict=True)
        return [(name, tensor) for name, tensor in pairs if tensor is not None]

    def strides(self) -> tuple[int, ...]:
        return tuple(0 if t is None else t.stride(0) for t in self)

    def check(self) -> None:
        contract.check_tracking(self.mamba_track_indices, self.mamba_steps_to_track)
        N = self.ssm_state_indices.numel()
        vectors = [(name, t) for name, t in self.named() if name != "cu_seqlens"]
        check_request_vectors(vectors, N)
        if self.cu_seqlens is not None:
            check_offsets(self.cu_seqlens, N)


def commit_kda_replayssm_spec(
    checkpoint_state: Tensor,
    rawv_cache: Tensor,
    rawk_cache: Tensor,
    gk_cache: Tensor,
    beta_cache: Tensor,
    ssm_state_indices: Tensor,
    accept_lens: Tensor,
    max_cache_len: int,
    num_k_heads: int,
    mamba_track_indices: Tensor | None = None,
    mamba_steps_to_track: Tensor | None = None,
    use_qk_l2norm_in_kernel: bool = True,
    null_block_id: int = -1,
) -> None:
    """Fold the accepted tokens of a verify step into the state, in place.

    The convolution windows are not touched: `commit_after_verify` does both.

    Args:
        checkpoint_state: [P, HV, V, K] fp32, dense inside a slot; written.
        rawv_cache: [P, HV, L, V] and rawk_cache: [P, H, L, K], values and keys after the
            convolution, any float dtype; dense inside a slot.
        gk_cache: [P, HV, L, K] fp32, log decay; beta_cache: [P, HV, L] fp32, write strength.
        ssm_state_indices: [N] int32 or int64; a negative slot is skipped. Slots are distinct.
        accept_lens: [N] int32 or int64, tokens to fold, the bonus token included. Below 1 nothing
            happens; over L it counts as L.
        max_cache_len, num_k_heads: L and H.
        mamba_track_indices: [N], slots that also receive the state after step
            `mamba_steps_to_track[n]` if that step is accepted; negative for none. A tracking slot
            must not be a live slot of this call.
        use_qk_l2norm_in_kernel: whether the rings hold keys before their L2 normalisation.
        null_block_id: -1; convert other conventions with `slots_from_null_block`.

    Raises:
        ContractError: an argument breaks the contract.
        BackendUnavailableError: no kernel can run on the tensors' device.
    """
    contract.check_null_block(null_block_id)
    rings = Rings(rawv_cache, rawk_cache, gk_cache, beta_cache)
    requests = _Requests(
        ssm_state_indices, accept_lens, None, mamba_track_indices, mamba_steps_to_track
    )
    state = ("checkpoint_state", checkpoint_state)
    _check_fold(state, rings, _RING_NAMES, requests, num_k_heads, max_cache_len, layered=False)
    layers = Rings(*(ring[None] for ring in rings))
    _fold(checkpoint_state[None], layers, requests, max_cache_len, use_qk_l2norm_in_kernel)


def commit_kda_replayssm_spec_all_layers(
    checkpoint_state: Tensor,
    rawv_cache: Tensor,
    rawk_cache: Tensor,
    gk_cache: Tensor,
    beta_cache: Tensor,
    ssm_state_indices: Tensor,
    accept_lens: Tensor,
    max_cache_len: int,
    num_k_heads: int,
    mamba_track_indices: Tensor | None = None,
    mamba_steps_to_track: Tensor | None = None,
    use_qk_l2norm_in_kernel: bool = True,
    null_block_id: int = -1,
) -> None:
    """`commit_kda_replayssm_spec` for all layers in one launch, equal to the loop bit for bit.

    Args:
        checkpoint_state: [layers, P, HV, V, K]; the rings have the same leading dimension. Layer
            and slot pitches are free. Slots, lengths and tracking are shared by the layers.

    The other arguments and the errors are those of `commit_kda_replayssm_spec`.
    """
    contract.check_null_block(null_block_id)
    rings = Rings(rawv_cache, rawk_cache, gk_cache, beta_cache)
    requests = _Requests(
        ssm_state_indices, accept_lens, None, mamba_track_indices, mamba_steps_to_track
    )
    state = ("checkpoint_state", checkpoint_state)
    _check_fold(state, rings, _RING_NAMES, requests, num_k_heads, max_cache_len, layered=True)
    _fold(checkpoint_state, rings, requests, max_cache_len, use_qk_l2norm_in_kernel)


def commit_after_verify(
    *,
    recurrent_state: Tensor,
    cs_q: Tensor,
    cs_k: Tensor,
    cs_v: Tensor,
    ssm_state_indices: Tensor,
    intermediate_state_indices: Tensor,
    accept_lens: Tensor,
    intermediate_conv_q: Tensor,
    intermediate_conv_k: Tensor,
    intermediate_conv_v: Tensor,
    intermediate_ssm: Tensor | None = None,
    replayssm_rawv: Tensor | None = None,
    replayssm_rawk: Tensor | None = None,
    replayssm_g: Tensor | None = None,
    replayssm_beta: Tensor | None = None,
    cu_seqlens: Tensor | None = None,
    mamba_track_indices: Tensor | None = None,
    mamba_steps_to_track: Tensor | None = None,
    validate: str = "host",
) -> None:
    """Advance state and convolution windows by the accepted tokens of one verify step, in place.

    The arguments have the names under which the verify call received them. Rings or
    `intermediate_ssm` say where the state comes from: whichever the verify call wrote.

    Args:
        recurrent_state: [P, HV, V, K] fp32, dense inside a slot; written.
        cs_q, cs_k, cs_v: [P, C, 3], any strides; written.
        ssm_state_indices: [N] int32 or int64, distinct; a negative slot is skipped.
        intermediate_state_indices: [N], scratch rows.
        accept_lens: [N], accepted tokens with the bonus token. Below 1 nothing happens to the
            request: neither state nor windows; more than was verified counts as all of it.
        intermediate_conv_q, _k, _v: [R, T1, C, 3], windows after every token, any strides.
        intermediate_ssm: [R, T1, HV, V, K] fp32, dense inside a step.
        replayssm_rawv, _rawk, _g, _beta: rings as `commit_kda_replayssm_spec` takes them.
        cu_seqlens: [N + 1]; bounds the accepted tokens of every request by its length. Needed
            when lengths differ, as positions past a request's end hold no token of it.
        mamba_track_indices, mamba_steps_to_track: as `commit_kda_replayssm_spec` takes them.
        validate: "host" reads no device memory. "device" also copies the index tensors to the
            host and raises `DeviceContractError` for slots, rows or lengths out of range.

    Raises:
        ContractError: an argument breaks the contract.
        BackendUnavailableError: no kernel can run on the tensors' device.
    """
    check_mode(validate)
    ring_arguments = (replayssm_rawv, replayssm_rawk, replayssm_g, replayssm_beta)
    contract.check_source(ring_arguments, intermediate_ssm)
    windows = (cs_q, cs_k, cs_v)
    scratches = (intermediate_conv_q, intermediate_conv_k, intermediate_conv_v)
    requests = _Requests(
        ssm_state_indices,
        accept_lens,
        cu_seqlens,
        mamba_track_indices,
        mamba_steps_to_track,
        intermediate_state_indices,
    )
    state = ("recurrent_state", recurrent_state)
    _check_rollback(windows, scratches, requests, state)
    held = min(scratch.shape[1] for scratch in scratches)
    if intermediate_ssm is None:
        rings = Rings(*(ring for ring in ring_arguments if ring is not None))
        H, L = rings.rawk.shape[1:3] if rings.rawk.ndim == 4 else (0, 0)
        _check_fold(state, rings, _VERIFY_RING_NAMES, requests, H, L, layered=False)
        held = min(held, L)
    else:
        _check_snapshots(state, intermediate_ssm)
        held = min(held, intermediate_ssm.shape[1])
    if validate == "device":
        _check_values(requests, recurrent_state.shape[0], scratches[0].shape[0], held)
    if intermediate_ssm is None:
        layers = Rings(*(ring[None] for ring in rings))
        _fold(recurrent_state[None], layers, requests, held, normalise=True)
    else:
        _copy_snapshots(recurrent_state, intermediate_ssm, requests, held)
    _roll_back(windows, scratches, requests, recurrent_state.shape[0], held)


def commit_keywords(verify_arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Those of a verify call's keywords that `commit_after_verify` takes as well.

    With rings `intermediate_ssm` is left out: the verify call did not write it.
    """
    chosen = {n: verify_arguments[n] for n in _COMMIT_KEYWORDS if n in verify_arguments}
    if chosen.get("replayssm_rawv") is not None:
        chosen.pop("intermediate_ssm", None)
    return chosen


def _check_fold(
    state: tuple[str, Tensor],
    rings: Rings,
    names: Sequence[str],
    requests: _Requests,
    H: int,
    L: int,
    *,
    layered: bool,
) -> None:
    contract.check_state_pool(*state, layered)
    contract.check_ring_set(state[1], rings, names, H, L)
    outer = 2 if layered else 1
    named = [state, *zip(names, rings, strict=True)]
    for name, tensor in named:
        contract.check_dense_inside(name, tensor, tensor.ndim - outer)
    requests.check()
    check_one_device([*named, *requests.named()])
    check_backend(state[1], INTERPRETED)


def _check_snapshots(state: tuple[str, Tensor], snapshots: Tensor) -> None:
    contract.check_state_pool(*state, layered=False)
    contract.check_snapshot_source(snapshots, state[1])
    named = (state, ("intermediate_ssm", snapshots))
    for name, tensor in named:
        contract.check_dense_inside(name, tensor, 3)
    check_one_device(named)


def _check_rollback(
    windows: Sequence[Tensor],
    scratches: Sequence[Tensor],
    requests: _Requests,
    state: tuple[str, Tensor],
) -> None:
    for stream, window, scratch in zip("qkv", windows, scratches, strict=True):
        contract.check_rollback_pair(stream, window, scratch)
    requests.check()
    named = [(f"cs_{s}", window) for s, window in zip("qkv", windows, strict=True)]
    named += [(f"intermediate_conv_{s}", x) for s, x in zip("qkv", scratches, strict=True)]
    check_one_device([state, *named, *requests.named()])
    check_backend(state[1], INTERPRETED)


def _check_values(requests: _Requests, P: int, R: int, held: int) -> None:
    check_not_capturing(requests.accept_lens)
    check_slots(requests.ssm_state_indices, P, written=True)
    if requests.intermediate_state_indices is not None:
        check_scratch_rows(requests.intermediate_state_indices, requests.ssm_state_indices, R)
    check_accepted(requests.accept_lens, requests.ssm_state_indices, requests.cu_seqlens, held)


def _fold(state: Tensor, rings: Rings, requests: _Requests, limit: int, normalise: bool) -> None:
    layers, P, HV, V, K = state.shape
    H, L = rings.rawk.shape[2:4]
    N = requests.accept_lens.numel()
    if N == 0 or layers == 0:
        return
    rows, warps, registers = fold_tile(K, V, interpreted=INTERPRETED)
    unit = pitch_unit(state.stride(0), state.stride(1))
    device = requests.accept_lens.get_device()
    with torch.cuda.device(device):
        fold_kernel[(N * HV * (V // rows), layers)](
            state,
            *rings,
            *requests[:5],
            P,
            limit,
            (state.stride(0) // unit, *(ring.stride(0) for ring in rings)),
            (state.stride(1) // unit, *(ring.stride(1) for ring in rings)),
            requests.strides(),
            HV,
            HV // H,
            L,
            V,
            K,
            rows,
            unit,
            normalise,
            num_warps=warps,
            **register_limit(registers, device),
        )


def _copy_snapshots(state: Tensor, snapshots: Tensor, requests: _Requests, limit: int) -> None:
    N = requests.accept_lens.numel()
    if N == 0:
        return
    P, HV, V, K = state.shape
    pitches = (state.stride(0), *snapshots.stride()[:2])
    unit = pitch_unit(*pitches)
    slot_pitch, *source_pitches = (pitch // unit for pitch in pitches)
    with torch.cuda.device(requests.accept_lens.get_device()):
        snapshot_kernel[(N, HV * V * K // COPY_BLOCK)](
            state,
            snapshots,
            requests.intermediate_state_indices,
            *requests[:5],
            P,
            snapshots.shape[0],
            limit,
            slot_pitch,
            tuple(source_pitches),
            requests.strides(),
            COPY_BLOCK,
            unit,
            num_warps=4,
        )


def _roll_back(
    windows: Sequence[Tensor],
    scratches: Sequence[Tensor],
    requests: _Requests,
    P: int,
    limit: int,
) -> None:
    N = requests.accept_lens.numel()
    channels = tuple(window.shape[1] for window in windows)
    if N == 0:
        return
    with torch.cuda.device(requests.accept_lens.get_device()):
        rollback_kernel[(N, triton.cdiv(max(channels), CONV_BLOCK))](
            tuple(windows),
            tuple(scratches),
            requests.intermediate_state_indices,
            *requests[:3],
            P,
            min(scratch.shape[0] for scratch in scratches),
            limit,
            channels,
            tuple(window.stride() for window in windows),
            tuple(scratch.stride() for scratch in scratches),
            requests.strides(),
            CONV_BLOCK,
            num_warps=4,
        )
