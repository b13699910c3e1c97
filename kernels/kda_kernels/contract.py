"""What `fused_kda_decode_mtp_dspark` demands of its arguments, as far as the host can see.

The fourteen checks whose messages sglang prints as well stand here, in sglang's order and letter
for letter (sglang/kernels/ops/attention/kda_decode_mtp.py in 0.5.23); what came is in a note. The
checks that only this package makes are in `input_contract`, the ones that read device memory in
`device_contract`. Nothing here reads device memory, so every check is legal inside graph capture.

Shapes use N requests, T tokens in all, H heads, P pool slots, L ring positions, C = 128 H channels.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from kda_kernels.errors import ContractError

HEAD_DIM = 128
"""The width of a key, a query and a value."""

CONV_TAPS = 4
"""The width of the depthwise convolution: three stored inputs and the current one."""

STATE_STRIDES = (HEAD_DIM * HEAD_DIM, HEAD_DIM, 1)
"""The dense [H, V, K] strides inside a slot."""


def check_activations(
    *, x_q: Tensor, x_k: Tensor, x_v: Tensor, g: Tensor, beta: Tensor, cu_seqlens: Tensor
) -> tuple[int, int, int]:
    """Check the shapes of the activations and that the tokens divide evenly over the requests.

    Returns:
        N requests, T1 tokens per request, H heads.

    Raises:
        ContractError: a shape is wrong, or T is no positive multiple of N.
    """
    if x_q.ndim < 4:
        shape: tuple[int, ...] = tuple(x_q.shape)
        raise ContractError("EKB9358", f"expected x_q as [1, T, H, 128], got shape {shape}")
    shape = x_q.shape
    T, H = shape[1], shape[2]
    expected = (1, T, H, HEAD_DIM)
    if shape != expected or x_k.shape != expected:
        raise ContractError(
            "EKB9949",
            f"expected q/k shape (1, {T}, {H}, 128)",
            got=f"x_q {tuple(x_q.shape)}, x_k {tuple(x_k.shape)}",
        )
    if x_v.shape != expected or g.shape != expected:
        raise ContractError(
            "EKB8629",
            f"expected v/g shape (1, {T}, {H}, 128)",
            got=f"x_v {tuple(x_v.shape)}, g {tuple(g.shape)}",
        )
    if beta.shape != (1, T, H):
        raise ContractError(
            "EKB6120", f"expected beta shape (1, {T}, {H})", got=f"beta {tuple(beta.shape)}"
        )
    if cu_seqlens.ndim != 1:
        shape = tuple(cu_seqlens.shape)
        raise ContractError("EKB9190", f"expected cu_seqlens as [N + 1], got shape {shape}")
    N = cu_seqlens.numel() - 1
    if N <= 0 or T % N != 0 or T // N < 1:
        raise ContractError(
            "EKB3421",
            "DSpARK KDA MTP requires a fixed 1 + num_spec dense tokens per request; "
            f"got T={T}, N={N}",
            got=f"x_q {tuple(x_q.shape)}, cu_seqlens with {N + 1} entries",
        )
    return N, T // N, H


def check_state(recurrent_state: Tensor, H: int) -> None:
    """Check the committed state pool, [P, H, 128 (V), 128 (K)] in fp32.

    The slot pitch is free as long as each slot starts at a multiple of 16 bytes.

    Raises:
        ContractError: shape, dtype, inner strides or slot offsets are wrong.
    """
    shape = recurrent_state.shape
    if len(shape) != 4 or shape != (shape[0], H, HEAD_DIM, HEAD_DIM):
        raise ContractError(
            "EKB8529",
            "expected recurrent state layout [pool, H, V=128, K=128]",
            got=f"recurrent_state {tuple(shape)} with H={H}",
        )
    strides = recurrent_state.stride()
    if (
        recurrent_state.dtype != torch.float32
        or strides[1:] != STATE_STRIDES
        or strides[0] % 4 != 0
        or recurrent_state.storage_offset() % 4 != 0
    ):
        raise ContractError(
            "EKB5217",
            "cp.async recurrent state requires fp32 contiguous [H, V, K] inner layout and "
            "16-byte-aligned slot offsets",
            got=f"recurrent_state {recurrent_state.dtype}, strides {strides}, "
            f"storage offset {recurrent_state.storage_offset()}",
        )


def check_rings(
    rings: Sequence[Tensor | None], tokens_per_request: int, H: int
) -> tuple[Tensor, ...]:
    """Check the ReplaySSM rings: rawv, rawk, g [P, H, L, 128] and beta [P, H, L].

    rawv and rawk are bf16, g and beta fp32; L is at least `tokens_per_request`.

    Returns:
        The four rings, or nothing when none was given.

    Raises:
        ContractError: one to three rings are missing, or shapes or dtypes are wrong.
    """
    given = tuple(ring for ring in rings if ring is not None)
    if not given:
        return ()
    if len(given) != len(rings):
        names = ("rawv", "rawk", "g", "beta")
        missing = [name for name, ring in zip(names, rings, strict=True) if ring is None]
        raise ContractError(
            "EKB5057",
            "ReplaySSM requires all four replayssm_* rings",
            got=f"None for {', '.join('replayssm_' + name for name in missing)}",
        )
    rawv, rawk, log_decay, strength = given
    L = rawv.shape[2] if rawv.ndim == 4 else 0
    if (
        tokens_per_request > L
        or rawv.shape[1:] != (H, L, HEAD_DIM)
        or rawk.shape[1:] != (H, L, HEAD_DIM)
        or log_decay.shape[1:] != (H, L, HEAD_DIM)
        or strength.shape[1:] != (H, L)
    ):
        raise ContractError(
            "EKB9592",
            f"expected ReplaySSM ring layouts [slots, H={H}, L>={tokens_per_request}, 128] / "
            "[slots, H, L]",
            got=f"rawv {tuple(rawv.shape)}, rawk {tuple(rawk.shape)}, "
            f"g {tuple(log_decay.shape)}, beta {tuple(strength.shape)}",
        )
    if (
        rawv.dtype != torch.bfloat16
        or rawk.dtype != torch.bfloat16
        or log_decay.dtype != torch.float32
        or strength.dtype != torch.float32
    ):
        raise ContractError(
            "EKB6042",
            "expected ReplaySSM ring dtypes rawv/rawk=bf16, g/beta=fp32",
            got=f"rawv {rawv.dtype}, rawk {rawk.dtype}, g {log_decay.dtype}, beta {strength.dtype}",
        )
    return given


def check_snapshots(
    intermediate_ssm: Tensor | None, tokens_per_request: int, H: int
) -> tuple[Tensor, ...]:
    """Check the scratch that receives the state after every token when there are no rings.

    It is [R, at least T1, H, 128 (V), 128 (K)] in fp32.

    Returns:
        The scratch alone, to be joined with the other tensors that are in use.

    Raises:
        ContractError: it is missing, or its shape or dtype is wrong.
    """
    if intermediate_ssm is None:
        raise ContractError(
            "EKB7186", "expected intermediate_ssm or all four replayssm_* rings, got neither"
        )
    if (
        intermediate_ssm.ndim < 2
        or intermediate_ssm.shape[1] < tokens_per_request
        or intermediate_ssm.shape[2:] != (H, HEAD_DIM, HEAD_DIM)
    ):
        raise ContractError(
            "EKB6396",
            f"expected intermediate SSM layout [scratch, >={tokens_per_request}, H, V=128, K=128]",
            got=f"intermediate_ssm {tuple(intermediate_ssm.shape)} with H={H}",
        )
    if intermediate_ssm.dtype != torch.float32:
        dtype = intermediate_ssm.dtype
        raise ContractError("EKB3110", f"expected intermediate_ssm in torch.float32, got {dtype}")
    return (intermediate_ssm,)


def check_output_norm(
    gate: Tensor | None, weight: Tensor | None, eps: float | None, T: int, H: int
) -> tuple[Tensor, ...]:
    """Check the fused output norm: gate [1, T, H, 128] bf16, weight [128] fp32, and eps.

    Returns:
        Gate and weight, or nothing when none of the three was given.

    Raises:
        ContractError: one or two of the three are missing, or shapes or dtypes are wrong.
    """
    if gate is None and weight is None and eps is None:
        return ()
    if gate is None or weight is None or eps is None:
        given = {"onorm_gate": gate, "onorm_weight": weight, "onorm_eps": eps}
        missing = [name for name, value in given.items() if value is None]
        raise ContractError(
            "EKB5370",
            "fused output norm requires onorm_gate, onorm_weight, and onorm_eps",
            got=f"None for {', '.join(missing)}",
        )
    if gate.shape != (1, T, H, HEAD_DIM):
        raise ContractError(
            "EKB1841",
            f"expected output-norm gate shape (1, {T}, {H}, 128)",
            got=f"onorm_gate {tuple(gate.shape)}",
        )
    if weight.shape != (HEAD_DIM,):
        raise ContractError(
            "EKB6126",
            "expected output-norm weight shape (128,)",
            got=f"onorm_weight {tuple(weight.shape)}",
        )
    if gate.dtype != torch.bfloat16 or weight.dtype != torch.float32:
        raise ContractError(
            "EKB4160",
            "expected output-norm gate=bf16 and weight=fp32",
            got=f"onorm_gate {gate.dtype}, onorm_weight {weight.dtype}",
        )
    return (gate, weight)
