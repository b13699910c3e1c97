"""One way to each error of the verify op's contract, with what the op must say.

`test_contract.py` runs them. Sizes: 2 requests of T1 tokens, H heads, C channels.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import torch

T1, H, C = 2, 2, 256
Inputs = dict[str, Any]


class Case(NamedTuple):
    """One broken argument and what the op must say about it."""

    code: str
    message: str
    breaks: Callable[[Inputs], object]
    options: dict[str, bool]


def case(code: str, message: str, breaks: Callable[[Inputs], object], **options: bool) -> Case:
    return Case(code, message, breaks, options)


def put(name: str, change: Callable[[Any], Any]) -> Callable[[Inputs], None]:
    """Replace one argument."""

    def apply(inputs: Inputs) -> None:
        inputs[name] = change(inputs[name])

    return apply


def give(**values: object) -> Callable[[Inputs], None]:
    """Set arguments."""
    return lambda inputs: inputs.update(values)


def drop_last_token(inputs: Inputs) -> None:
    for name in ("x_q", "x_k", "x_v", "g", "beta"):
        inputs[name] = inputs[name][:, :-1]


def each(prefixes: tuple[str, ...], change: Callable[[Any], Any]) -> Callable[[Inputs], None]:
    """Change all arguments whose name begins with a prefix."""

    def apply(inputs: Inputs) -> None:
        for name in inputs:
            if name.startswith(prefixes):
                inputs[name] = change(inputs[name])

    return apply


def shifted(tensor: torch.Tensor) -> torch.Tensor:
    """The same values, one element past an aligned address."""
    buffer = tensor.new_empty(tensor.numel() + 1)
    return buffer[1:].view(tensor.shape).copy_(tensor)


def spread(tensor: torch.Tensor) -> torch.Tensor:
    """The same values at every second element."""
    return tensor.repeat_interleave(2, dim=-1)[..., ::2]


def offsets(*values: int) -> Callable[[Inputs], None]:
    """Other cu_seqlens."""
    return put("cu_seqlens", lambda cu: torch.tensor(values, dtype=cu.dtype, device=cu.device))


def indices(name: str, *values: int) -> Callable[[Inputs], None]:
    """Other slots or rows."""
    return put(name, lambda old: torch.tensor(values, dtype=old.dtype, device=old.device))


# In sglang's order; `test_upstream_order` breaks neighbours together.
UPSTREAM = [
    case("EKB9949", "expected q/k shape (1, 4, 2, 128)", put("x_k", lambda x: x[:, :, :1])),
    case("EKB8629", "expected v/g shape (1, 4, 2, 128)", put("g", lambda g: g.flatten(2))),
    case("EKB6120", "expected beta shape (1, 4, 2)", put("beta", lambda b: b[..., None])),
    case(
        "EKB3421",
        "DSpARK KDA MTP requires a fixed 1 + num_spec dense tokens per request; got T=4, N=3",
        offsets(0, 2, 4, 4),
    ),
    case(
        "EKB8529",
        "expected recurrent state layout [pool, H, V=128, K=128]",
        put("recurrent_state", lambda s: s[0]),
    ),
    case(
        "EKB5217",
        "cp.async recurrent state requires fp32 contiguous [H, V, K] inner layout and "
        "16-byte-aligned slot offsets",
        put("recurrent_state", lambda s: s.mT),
    ),
    case(
        "EKB5057",
        "ReplaySSM requires all four replayssm_* rings",
        give(replayssm_g=None),
        rings=True,
    ),
    case(
        "EKB9592",
        "expected ReplaySSM ring layouts [slots, H=2, L>=2, 128] / [slots, H, L]",
        put("replayssm_rawk", lambda r: r[:, :, :1]),
        rings=True,
    ),
    case(
        "EKB6042",
        "expected ReplaySSM ring dtypes rawv/rawk=bf16, g/beta=fp32",
        put("replayssm_beta", torch.Tensor.bfloat16),
        rings=True,
    ),
    case(
        "EKB6396",
        "expected intermediate SSM layout [scratch, >=2, H, V=128, K=128]",
        put("intermediate_ssm", lambda s: s[:, :1]),
    ),
    case(
        "EKB5370",
        "fused output norm requires onorm_gate, onorm_weight, and onorm_eps",
        give(onorm_eps=None),
        output_norm=True,
    ),
    case(
        "EKB1841",
        "expected output-norm gate shape (1, 4, 2, 128)",
        put("onorm_gate", lambda g: g.flatten(2)),
        output_norm=True,
    ),
    case(
        "EKB6126",
        "expected output-norm weight shape (128,)",
        put("onorm_weight", lambda w: w.expand(H, 128)),
        output_norm=True,
    ),
    case(
        "EKB4160",
        "expected output-norm gate=bf16 and weight=fp32",
        put("onorm_weight", torch.Tensor.bfloat16),
        output_norm=True,
    ),
]

UPSTREAM_VARIANTS = [
    case(
        "EKB9949", "expected q/k shape (1, 8, 2, 128)", put("x_q", lambda x: x.repeat(1, 2, 1, 1))
    ),
    case("EKB9949", "expected q/k shape (1, 2, 128, 128)", put("x_q", lambda x: x[0][..., None])),
    case("EKB8629", "expected v/g shape (1, 4, 2, 128)", put("x_v", lambda x: x[:, :, :1])),
    case("EKB6120", "expected beta shape (1, 4, 2)", put("beta", lambda b: b[0])),
    case(
        "EKB3421",
        "DSpARK KDA MTP requires a fixed 1 + num_spec dense tokens per request; got T=3, N=2",
        drop_last_token,
    ),
    case(
        "EKB3421",
        "DSpARK KDA MTP requires a fixed 1 + num_spec dense tokens per request; got T=4, N=0",
        offsets(0),
    ),
    case(
        "EKB3421",
        "DSpARK KDA MTP requires a fixed 1 + num_spec dense tokens per request; got T=0, N=2",
        each(("x_", "g", "beta"), lambda x: x[:, :0]),
    ),
    case(
        "EKB8529",
        "expected recurrent state layout [pool, H, V=128, K=128]",
        put("recurrent_state", lambda s: s[:, :1]),
    ),
    *(
        case(
            "EKB5217",
            "cp.async recurrent state requires fp32 contiguous [H, V, K] inner layout and "
            "16-byte-aligned slot offsets",
            put("recurrent_state", change),
        )
        for change in (
            torch.Tensor.bfloat16,
            lambda s: s.new_empty(s.shape[0], s[0].numel() + 2)[:, :-2].view(s.shape),
            shifted,
        )
    ),
    case(
        "EKB9592",
        "expected ReplaySSM ring layouts [slots, H=2, L>=2, 128] / [slots, H, L]",
        each(("replayssm_",), lambda r: r[:, :, :1]),
        rings=True,
    ),
    case(
        "EKB9592",
        "expected ReplaySSM ring layouts [slots, H=2, L>=2, 128] / [slots, H, L]",
        each(("replayssm_",), lambda r: r[None]),
        rings=True,
    ),
    case(
        "EKB6042",
        "expected ReplaySSM ring dtypes rawv/rawk=bf16, g/beta=fp32",
        put("replayssm_rawv", torch.Tensor.float),
        rings=True,
    ),
    case(
        "EKB6396",
        "expected intermediate SSM layout [scratch, >=2, H, V=128, K=128]",
        put("intermediate_ssm", lambda s: s[:, :, :1]),
    ),
    case(
        "EKB5370",
        "fused output norm requires onorm_gate, onorm_weight, and onorm_eps",
        give(onorm_eps=1e-5),
    ),
    case(
        "EKB4160",
        "expected output-norm gate=bf16 and weight=fp32",
        put("onorm_gate", torch.Tensor.float),
        output_norm=True,
    ),
]

OURS = [
    case("EKB5138", "expected validate 'host' or 'device', got 'full'", give(validate="full")),
    case("EKB8489", "expected A_log as a torch.Tensor, got list", give(A_log=[1.0, 2.0])),
    case("EKB8489", "expected cs_v as a torch.Tensor, got NoneType", give(cs_v=None)),
    case(
        "EKB8489",
        "expected replayssm_g as a torch.Tensor, got float",
        give(replayssm_g=1.0),
        rings=True,
    ),
    case(
        "EKB9358",
        "expected x_q as [1, T, H, 128], got shape (4, 2, 128)",
        put("x_q", lambda x: x[0]),
    ),
    case("EKB9358", "expected x_q as [1, T, H, 128], got shape ()", put("x_q", lambda x: x.sum())),
    case(
        "EKB9190",
        "expected cu_seqlens as [N + 1], got shape (1, 3)",
        put("cu_seqlens", lambda cu: cu[None]),
    ),
    case(
        "EKB7186",
        "expected intermediate_ssm or all four replayssm_* rings, got neither",
        give(intermediate_ssm=None),
    ),
    case(
        "EKB3110",
        "expected intermediate_ssm in torch.float32, got torch.bfloat16",
        put("intermediate_ssm", torch.Tensor.bfloat16),
    ),
    case(
        "EKB5757",
        "expected A_log shape (2,), got (1, 1, 2, 1)",
        put("A_log", lambda a: a.view(1, 1, 2, 1)),
    ),
    case(
        "EKB6774",
        "expected dt_bias shape (256,), got (2, 128)",
        put("dt_bias", lambda b: b.view(2, 128)),
    ),
    *(
        case(
            "EKB2806",
            f"expected {name} shape (256, 4), got (256, 1, 4)",
            put(name, lambda w: w[:, None]),
        )
        for name in ("w_q", "w_k", "w_v")
    ),
    *(
        case(
            "EKB9957",
            f"expected {name} shape [pool, 256, 3], got (4, 3, 256)",
            put(name, lambda c: c.mT),
        )
        for name in ("cs_q", "cs_k", "cs_v")
    ),
    *(
        case(
            "EKB4849",
            f"expected {name} shape [scratch, >=2, 256, 3], got (3, {shape})",
            put(name, change),
        )
        for name in ("intermediate_conv_q", "intermediate_conv_k", "intermediate_conv_v")
        for shape, change in (
            ("1, 256, 3", lambda c: c[:, :1]),
            ("2, 3, 256", lambda c: c.mT),
            ("256, 3", lambda c: c[:, 0]),
        )
    ),
    case(
        "EKB1185",
        "expected ssm_state_indices shape (2,), got (2, 1)",
        put("ssm_state_indices", lambda i: i[:, None]),
    ),
    case(
        "EKB5142",
        "expected intermediate_state_indices shape (2,), got (3,)",
        indices("intermediate_state_indices", 0, 1, 2),
    ),
    *(
        case(
            "EKB5311",
            f"expected {name} in torch.bfloat16, got torch.float32",
            put(name, torch.Tensor.float),
        )
        for name in ("x_q", "x_k", "x_v", "g", "beta")
    ),
    *(
        case(
            "EKB7067",
            f"expected {name} in torch.float32, got torch.bfloat16",
            put(name, torch.Tensor.bfloat16),
        )
        for name in ("w_q", "w_k", "w_v", "A_log", "dt_bias")
    ),
    *(
        case(
            "EKB3932",
            f"expected the windows {name} in torch.bfloat16, got torch.float32",
            put(name, torch.Tensor.float),
        )
        for name in (
            *("cs_q", "cs_k", "cs_v"),
            *("intermediate_conv_q", "intermediate_conv_k", "intermediate_conv_v"),
        )
    ),
    *(
        case(
            "EKB2916",
            f"expected {name} in torch.int32, got torch.int64",
            put(name, torch.Tensor.long),
        )
        for name in ("ssm_state_indices", "intermediate_state_indices", "cu_seqlens")
    ),
    *(
        case(
            "EKB1682",
            f"expected {name} contiguous, got strides {strides}",
            put(name, spread),
            output_norm=True,
        )
        for name, strides in (
            *(("w_q", (8, 2)), ("w_k", (8, 2)), ("w_v", (8, 2))),
            *(("A_log", (2,)), ("dt_bias", (2,)), ("onorm_weight", (2,))),
        )
    ),
    *(
        case(
            "EKB6018",
            f"expected {name} with last stride 1, got strides (2048, 512, 256, 2)",
            put(name, spread),
            output_norm=True,
        )
        for name in ("x_q", "x_k", "x_v", "g", "onorm_gate")
    ),
    case(
        "EKB3156",
        "expected intermediate_ssm with inner strides (16384, 128, 1), "
        "got (65536, 32768, 16384, 1, 128)",
        put("intermediate_ssm", lambda s: s.mT),
    ),
    *(
        case(
            "EKB6706",
            f"expected {name} dense inside a slot, got shape (4, {shape}) with strides ({strides})",
            put(name, lambda r: r.repeat_interleave(2, 1)[:, ::2]),
            rings=True,
        )
        for name, shape, strides in (
            ("replayssm_rawv", "2, 4, 128", "2048, 1024, 128, 1"),
            ("replayssm_rawk", "2, 4, 128", "2048, 1024, 128, 1"),
            ("replayssm_g", "2, 4, 128", "2048, 1024, 128, 1"),
            ("replayssm_beta", "2, 4", "16, 8, 1"),
        )
    ),
    case(
        "EKB1370",
        "expected recurrent_state with at least one slot, got none",
        each(("recurrent_state", "cs_"), lambda pool: pool[:0]),
    ),
    case(
        "EKB2651",
        "expected intermediate_conv_q with at least one scratch row, got none",
        each(("intermediate_conv_", "intermediate_ssm"), lambda rows: rows[:0]),
    ),
    *(
        case(
            "EKB2156",
            f"expected {name} with 4 slots like recurrent_state, got 3",
            put(name, lambda pool: pool[:3]),
            rings=True,
        )
        for name in (
            *("cs_q", "cs_k", "cs_v", "replayssm_rawv", "replayssm_rawk"),
            *("replayssm_g", "replayssm_beta"),
        )
    ),
    *(
        case(
            "EKB2589",
            f"expected {name} with 3 scratch rows like intermediate_conv_q, got 2",
            put(name, lambda rows: rows[:2]),
        )
        for name in ("intermediate_conv_k", "intermediate_conv_v", "intermediate_ssm")
    ),
    case(
        "EKB3928",
        "expected lower_bound, the bound of the safe gate, as a number, got None",
        give(lower_bound=None),
    ),
    *(
        case(
            "EKB7583",
            f"expected lower_bound negative and finite, got {bound}",
            give(lower_bound=bound),
        )
        for bound in (5.0, 0.0, float("-inf"), float("nan"))
    ),
    *(
        case("EKB1917", f"expected scale positive and finite, got {scale}", give(scale=scale))
        for scale in (0.0, -1.0, float("inf"), float("nan"))
    ),
    *(
        case(
            "EKB2020",
            f"expected onorm_eps positive and finite, got {eps}",
            give(onorm_eps=eps),
            output_norm=True,
        )
        for eps in (0.0, -1e-5, float("nan"))
    ),
    *(
        case(
            "EKB4410",
            f"expected {name} at an address that 16 divides, got remainder {remainder}",
            put(name, shifted),
            **options,
        )
        for name, remainder, options in (
            *(
                (name, 2, {"output_norm": True})
                for name in ("x_q", "x_k", "x_v", "g", "onorm_gate")
            ),
            *(
                (name, 4, {"output_norm": True})
                for name in ("w_q", "w_k", "w_v", "A_log", "dt_bias", "onorm_weight")
            ),
            ("intermediate_ssm", 4, {}),
            *((name, 2, {"rings": True}) for name in ("replayssm_rawv", "replayssm_rawk")),
            *((name, 4, {"rings": True}) for name in ("replayssm_g", "replayssm_beta")),
        )
    ),
    *(
        case(
            "EKB0617",
            f"expected {name} without requires_grad while grad mode is on, got requires_grad=True",
            put(name, lambda x: x.detach().requires_grad_()),
        )
        for name in ("x_q", "w_v", "recurrent_state")
    ),
]

DEVICE = [
    case("EKB8949", "expected cu_seqlens to start at 0, got 1", offsets(1, 2, 4)),
    case(
        "EKB4252",
        "expected cu_seqlens not to decrease, got 3 then 2 at request 1",
        offsets(0, 3, 2),
    ),
    case("EKB9874", "expected cu_seqlens to end at T=4, got 3", offsets(0, 2, 3)),
    case("EKB0460", "expected 2 tokens in every request, got 1 in request 0", offsets(0, 1, 4)),
    case("EKB0460", "expected 2 tokens in every request, got 0 in request 0", offsets(0, 0, 4)),
    case(
        "EKB7287",
        "expected slots below 4, got 4 in request 1",
        indices("ssm_state_indices", 0, 4),
    ),
    case(
        "EKB7370",
        "expected one live request per ring slot, got slot 3 in requests 0 and 1",
        indices("ssm_state_indices", 3, 3),
        rings=True,
    ),
    case(
        "EKB6080",
        "expected scratch rows from 0 to below 3, got 3 in request 0",
        indices("intermediate_state_indices", 3, 1),
    ),
    case(
        "EKB6080",
        "expected scratch rows from 0 to below 3, got -1 in request 1",
        indices("intermediate_state_indices", 0, -1),
    ),
    case(
        "EKB9048",
        "expected one live request per scratch row, got row 2 in requests 0 and 1",
        indices("intermediate_state_indices", 2, 2),
    ),
]
