"""A call that looks like an accepted one skips the checks, and then only if they would pass."""

from __future__ import annotations

import dataclasses
import gc
import inspect
import random
import weakref
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
import torch
from kda_kernels import accepted, decode_contract, fused_kda_decode_mtp_dspark, verify_contract
from kda_kernels.accepted import ALIKE, LIMIT, AcceptedCalls
from kda_kernels.decode_contract import DecodeArguments
from kda_kernels.errors import ContractError
from kda_kernels.inputs import sample_inputs
from kda_kernels.verify_contract import VerifyArguments
from torch import Tensor

Inputs = dict[str, Any]
Check = Callable[[Inputs], object]
CONFIGS = [
    pytest.param({"rings": rings, "output_norm": norm}, id=f"{kind}-{'norm' if norm else 'plain'}")
    for rings, kind in ((True, "rings"), (False, "snapshots"))
    for norm in (True, False)
]
PAIRS = 300


class Subclass(Tensor):
    """A tensor that torch dispatches to Python."""


class Impostor:
    """No tensor, with every property of one."""

    def __init__(self, tensor: Tensor) -> None:
        self.tensor = tensor

    def __getattr__(self, name: str) -> object:
        return getattr(self.tensor, name)


class UnhashableShape(Impostor):
    """No tensor, with a shape that is no key."""

    @property
    def shape(self) -> list[int]:
        return list(self.tensor.shape)


def nested(tensor: Tensor) -> Tensor:
    """A tensor of the same class, device, dtype and dimensions without strides."""
    return torch.nested.nested_tensor(list(tensor) if tensor.ndim > 1 else [tensor, tensor])


def pitched(tensor: Tensor) -> Tensor:
    """The same values with a gap after each entry of the first dimension."""
    return tensor.repeat_interleave(2, dim=0)[::2]


def spread(tensor: Tensor) -> Tensor:
    """The same values at every second element."""
    return tensor.repeat_interleave(2, dim=-1)[..., ::2]


def placed(tensor: Tensor, storage: Tensor, offset: int) -> Tensor:
    """The same values and strides, at an offset of a one-dimensional storage."""
    return storage.as_strided(tensor.shape, tensor.stride(), offset).copy_(tensor)


def span(tensor: Tensor) -> int:
    """Elements from the first to the last."""
    return 1 + sum((n - 1) * s for n, s in zip(tensor.shape, tensor.stride(), strict=True))


def shifted(tensor: Tensor) -> Tensor:
    """One element past an aligned address."""
    return placed(tensor, tensor.new_empty(span(tensor) + 1), 1)


def offset_into_storage(tensor: Tensor) -> Tensor:
    """At an aligned address, 8 bytes into a storage that starts amiss."""
    size = tensor.element_size()
    raw = torch.empty(span(tensor) * size + 32, dtype=torch.uint8)
    start = -raw.data_ptr() % 16 + 8
    storage = torch.frombuffer(raw.numpy().data, dtype=tensor.dtype, offset=start)
    return placed(tensor, storage, 8 // size)


TENSOR_CHANGES: list[Callable[[Tensor], object]] = [
    lambda t: t[None],
    lambda t: t.flatten(),
    lambda t: t[..., :-1],
    lambda t: t[:1],
    lambda t: t[:0],
    lambda t: torch.cat((t, t)),
    spread,
    lambda t: t.mT if t.ndim > 1 else t.flip(0),
    lambda t: t.mT.contiguous().mT if t.ndim > 1 else t.clone(),
    pitched,
    shifted,
    offset_into_storage,
    Tensor.contiguous,
    Tensor.float,
    Tensor.bfloat16,
    Tensor.half,
    Tensor.int,
    Tensor.long,
    Tensor.to_sparse,
    Tensor.tolist,
    Impostor,
    UnhashableShape,
    weakref.proxy,
    nested,
    lambda t: t.to("meta"),
    lambda t: t.cpu().float().numpy(),
    lambda t: t.clone().requires_grad_() if t.is_floating_point() else t.clone(),
    lambda t: torch.nn.Parameter(t, requires_grad=t.is_floating_point()),
    lambda t: torch.nn.Parameter(t, requires_grad=False),
    lambda t: t.as_subclass(Subclass),
    lambda t: None,
    lambda t: 1.0,
]
NUMBERS = (None, 0.0, 1e-5, -1.0, -5.0, float("nan"), float("inf"))


def changes(inputs: Inputs) -> list[Inputs]:
    """Every change of one argument, and `PAIRS` of two."""
    single: list[tuple[str, object]] = []
    for name, value in inputs.items():
        if isinstance(value, Tensor):
            single += [(name, change(value)) for change in TENSOR_CHANGES]
        elif name in ("lower_bound", "scale", "eps", "onorm_eps"):
            single += [(name, number) for number in NUMBERS]
        else:  # an optional tensor that was not given
            single += [(name, torch.zeros(2)), (name, 1.0)]
    choice = random.Random(0)  # noqa: S311, not for secrets
    pairs = [choice.sample(single, 2) for _ in range(PAIRS)]
    return [inputs | dict(changed) for changed in ([[change] for change in single] + pairs)]


def outcome(check: Check, inputs: Inputs) -> object:
    """What the check returns or raises, comparable."""
    try:
        facts = check(inputs)
    except Exception as error:  # noqa: BLE001, whatever it is, both ways must raise it
        return type(error), str(error), getattr(error, "__notes__", [])
    return dataclasses.asdict(facts) if isinstance(facts, verify_contract.VerifySizes) else facts


def assert_same_outcomes(checked: Check, in_order: Check, valid: Inputs) -> None:
    """After the valid call, changed ones get what the checks alone say; they refuse most."""
    refused = 0
    changed_calls = changes(valid)
    for changed in changed_calls:
        checked(valid)
        expected = outcome(in_order, changed)
        refused += isinstance(expected, tuple) and isinstance(expected[0], type)
        for _ in range(2):  # a call that passed is remembered in turn
            assert outcome(checked, changed) == expected
    assert 300 < refused < len(changed_calls) - 50


@pytest.fixture(autouse=True, params=["torch", "python"])
def _nothing_accepted(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compare with torch's guards, and as where torch does not have them."""
    if request.param == "python":
        monkeypatch.setattr(accepted, "TensorGuards", None)
    elif vars(accepted)["TensorGuards"] is None:
        pytest.skip("this release of torch has no guards")
    for module in (verify_contract, decode_contract):
        monkeypatch.setattr(module, "_ACCEPTED", AcceptedCalls())


pytestmark = pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")


def verify_call(device: torch.device, **options: bool) -> Inputs:
    inputs = sample_inputs(requests=2, tokens_per_request=2, heads=2, device=device, **options) | {
        "scale": 1.0
    }
    return {name: inputs.get(name) for name in VerifyArguments._fields}


def decode_call(device: torch.device, **options: bool) -> Inputs:
    inputs = sample_inputs(requests=2, tokens_per_request=1, heads=2, device=device, **options)
    inputs |= {"scale": 1.0, "eps": inputs.get("onorm_eps")}
    names = (*DecodeArguments._fields, "lower_bound", "scale", "eps")
    return {name: inputs.get(name) for name in names}


def check_host(inputs: Inputs) -> object:
    return verify_contract.check_host(VerifyArguments(**inputs))


def verify_in_order(inputs: Inputs) -> object:
    return verify_contract._check_in_order(VerifyArguments(**inputs))


def decode_parts(inputs: Inputs) -> tuple[DecodeArguments, Any, Any, Any]:
    tensors = DecodeArguments(**{name: inputs[name] for name in DecodeArguments._fields})
    return tensors, inputs["lower_bound"], inputs["scale"], inputs["eps"]


def check_decode(inputs: Inputs) -> object:
    return decode_contract.check_decode(*decode_parts(inputs))


def decode_in_order(inputs: Inputs) -> object:
    return decode_contract._check_in_order(*decode_parts(inputs))


@pytest.mark.parametrize("options", CONFIGS)
def test_changed_verify_calls(device: torch.device, options: dict[str, bool]) -> None:
    assert_same_outcomes(check_host, verify_in_order, verify_call(device, **options))


@pytest.mark.parametrize("output_norm", [True, False], ids=["norm", "plain"])
@pytest.mark.parametrize("bias", [True, False], ids=["bias", "no bias"])
def test_changed_decode_calls(device: torch.device, output_norm: bool, bias: bool) -> None:
    valid = decode_call(device, output_norm=output_norm)
    if bias:
        valid |= {f"bias_{stream}": torch.zeros(256, device=device) for stream in "qkv"}
    assert_same_outcomes(check_decode, decode_in_order, valid)


def test_an_optional_argument_is_not_taken_for_another(device: torch.device) -> None:
    """With one head a bias and the norm's weight look alike."""
    inputs = sample_inputs(requests=2, tokens_per_request=1, heads=1, device=device)
    names = (*DecodeArguments._fields, "lower_bound", "scale", "eps")
    biases = {f"bias_{stream}": torch.zeros(128, device=device) for stream in "qkv"}
    valid = {name: inputs.get(name) for name in names} | {"scale": 1.0} | biases
    check_decode(valid)
    with pytest.raises(ContractError, match="fused output norm requires"):
        check_decode(valid | {"bias_v": None, "onorm_weight": biases["bias_v"]})


@pytest.mark.parametrize(
    ("module", "check", "call"),
    [(verify_contract, check_host, verify_call), (decode_contract, check_decode, decode_call)],
    ids=["verify", "decode"],
)
def test_accepted_calls_skip_the_checks(
    device: torch.device,
    monkeypatch: pytest.MonkeyPatch,
    module: ModuleType,
    check: Check,
    call: Callable[..., Inputs],
) -> None:
    calls = [call(device, output_norm=True), call(device), call(device)]
    calls[2]["w_q"].requires_grad_()  # a parameter of a model that serves
    with torch.no_grad():
        facts = [outcome(check, inputs) for inputs in calls]
        monkeypatch.delattr(module, "_check_in_order")
        again = [call(device, output_norm=True), *calls[1:], calls[0]]
        assert [outcome(check, inputs) for inputs in again] == [*facts, facts[0]]


@pytest.mark.parametrize(
    ("module", "check", "call", "one", "other"),
    [
        (
            verify_contract,
            check_host,
            verify_call,
            "ssm_state_indices",
            "intermediate_state_indices",
        ),
        (decode_contract, check_decode, decode_call, "x_q", "x_k"),
    ],
    ids=["verify", "decode"],
)
def test_calls_with_one_tensor_in_two_places_skip_the_checks(
    device: torch.device,
    monkeypatch: pytest.MonkeyPatch,
    module: ModuleType,
    check: Check,
    call: Callable[..., Inputs],
    one: str,
    other: str,
) -> None:
    apart = call(device)
    shared = apart | {one: apart[other]}
    facts = [outcome(check, inputs) for inputs in (apart, shared)]
    monkeypatch.delattr(module, "_check_in_order")
    for _ in range(ALIKE):  # neither pushes out the other
        assert [outcome(check, inputs) for inputs in (apart, shared)] == facts


@pytest.mark.parametrize(
    ("check", "call"), [(check_host, verify_call), (check_decode, decode_call)]
)
def test_a_call_that_passed_without_gradients_fails_with_them(
    device: torch.device, check: Check, call: Callable[..., Inputs]
) -> None:
    inputs = call(device)
    inputs["w_q"].requires_grad_()
    with torch.no_grad():
        check(inputs)
    with pytest.raises(ContractError, match="without requires_grad while grad mode is on"):
        check(inputs)


@pytest.mark.parametrize(
    ("names", "move"),
    [
        (VerifyArguments._fields[: verify_contract.ANY_ADDRESS], spread),
        (("recurrent_state", "replayssm_rawv", "replayssm_rawk"), pitched),
    ],
    ids=["any strides", "pitches"],
)
def test_launch_takes_the_strides_of_its_call(
    device: torch.device, names: tuple[str, ...], move: Callable[[Tensor], Tensor]
) -> None:
    """Strides may differ at the next call."""
    parameters = inspect.signature(fused_kda_decode_mtp_dspark).parameters
    valid = verify_call(device, rings=True, output_norm=True)
    valid = {name: value for name, value in valid.items() if name in parameters}

    def copies(inputs: Inputs) -> Inputs:
        return {n: v.clone() if isinstance(v, Tensor) else v for n, v in inputs.items()}

    first = copies(valid)  # dense
    moved = copies(first)
    moved |= {name: move(moved[name]) for name in names}
    expected = fused_kda_decode_mtp_dspark(**first)
    assert torch.equal(fused_kda_decode_mtp_dspark(**moved), expected)
    for name in ("intermediate_conv_q", "intermediate_conv_v", "replayssm_rawv", "replayssm_rawk"):
        assert torch.equal(moved[name].nan_to_num(), first[name].nan_to_num())


def test_the_oldest_key_is_forgotten() -> None:
    calls: AcceptedCalls[int] = AcceptedCalls()
    tensors = [torch.zeros(2)]
    for i in range(LIMIT + 1):
        calls.add(i, tensors, i)
    assert calls.find(0, tensors) is None
    assert [calls.find(i, tensors) for i in (1, LIMIT, LIMIT)] == [1, LIMIT, LIMIT]


def test_the_oldest_call_of_a_key_is_forgotten() -> None:
    calls: AcceptedCalls[int] = AcceptedCalls()
    tensors = [[torch.zeros(size)] for size in range(ALIKE + 1)]
    for size, found in enumerate(tensors):
        calls.add("key", found, size)
    assert calls.find("key", tensors[0]) is None
    assert [calls.find("key", tensors[size]) for size in (1, ALIKE, ALIKE)] == [1, ALIKE, ALIKE]


@pytest.mark.filterwarnings("ignore:Sparse CSR tensor support")
@pytest.mark.parametrize("change", [Impostor, weakref.proxy, Tensor.to_sparse_csr])
def test_what_has_no_strides_or_only_acts_as_a_tensor_is_not_remembered(
    change: Callable[[Tensor], Any],
) -> None:
    calls: AcceptedCalls[int] = AcceptedCalls()
    tensor = torch.eye(2)
    tensors = [change(tensor)]
    calls.add("key", tensors, 1)
    assert calls.find("key", tensors) is None


def test_a_class_is_kept_while_its_tensors_are_remembered() -> None:
    """Another class can come to lie where one that is gone did."""

    class Local(Tensor):
        pass

    kept = weakref.ref(Local)
    calls: AcceptedCalls[int] = AcceptedCalls()
    calls.add("key", [torch.zeros(2).as_subclass(Local)], 1)
    del Local
    gc.collect()
    assert kept() is not None
