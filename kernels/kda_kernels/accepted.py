"""Calls that passed the host checks, remembered by what those checks look at.

The checks name the first argument that is wrong, one after another, which costs more than a launch.
Shapes, dtypes and strides repeat from call to call, so a call that looks like one that passed is
not checked again. No tensor is remembered; addresses and numbers are left to the caller.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from operator import attrgetter
from threading import Lock
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import torch
from torch import Tensor

try:
    # What torch.compile compares the tensors of a call with, in C++: 2 us for 26 tensors, where
    # `_Properties` takes 10. torch does not promise to keep it, or what it takes.
    from torch._C._dynamo.guards import TensorGuards

    TensorGuards(dynamic_dims_sizes=None, dynamic_dims_strides=None)
except (ImportError, TypeError):
    TensorGuards = None  # type: ignore[assignment,misc]

Facts = TypeVar("Facts")

LIMIT = 256
"""Most keys of remembered calls for an op; the oldest one goes first."""

ALIKE = 4
"""Most calls that are remembered for a key, at up to 10 KB each: they differ in strides, say, and
are compared one after another."""

NOT_PLAIN = (AttributeError, RuntimeError, TypeError)
"""What asking for shape, strides or address raises when the argument is no tensor, or one without
strides or storage. The checks then say what is wrong."""

_properties = attrgetter("__class__", "shape", "dtype", "device", "requires_grad")
_is_nested = attrgetter("is_nested")
_PLAIN = (Tensor, torch.nn.Parameter)


class _Likeness(Protocol):
    """The tensors of a call, to compare others with."""

    def check(self, *values: Any) -> bool:  # noqa: ANN401, what may be no tensor
        """Whether these have the same classes, shapes, dtypes, devices, strides and
        `requires_grad`. As many values as there were tensors, and none of them nested, on which
        torch's guards end the process. They also compare what torch dispatches on, so that a call
        in inference mode or under autocast is another one to them."""


class _Properties:
    """The comparison in Python, for tensors of any class and in several places of a call."""

    def __init__(self, tensors: Sequence[Tensor]) -> None:
        self._described = self._describe(tensors)

    @staticmethod
    def _describe(tensors: Sequence[Tensor]) -> Hashable:
        return tuple(map(_properties, tensors)), tuple(map(Tensor.stride, tensors))

    def check(self, *values: Tensor) -> bool:
        """See `_Likeness`."""
        try:
            return self._described == self._describe(values)
        except NOT_PLAIN:
            return False


def _likeness(tensors: Sequence[Tensor]) -> _Likeness:
    # torch's guards take a tensor that they have seen in the same call for a difference, do not
    # keep a class alive, and end the process where a tensor has no strides.
    plain = all(type(t) in _PLAIN and t.layout is torch.strided for t in tensors)
    if TensorGuards is None or not plain or len(set(map(id, tensors))) < len(tensors):
        return _Properties(tensors)
    return TensorGuards(*tensors, dynamic_dims_sizes=None, dynamic_dims_strides=None)


class _Call(NamedTuple, Generic[Facts]):
    tensors: _Likeness
    wants_gradients: bool
    """Whether a tensor requires a gradient: such a call passes in no-grad mode only."""
    facts: Facts


class AcceptedCalls(Generic[Facts]):
    """What the checks established about calls that passed.

    Calls are found by a key, which says how many tensors there are, and then compared by their
    tensors, the latest first.
    """

    def __init__(self) -> None:
        self._calls: dict[Hashable, tuple[_Call[Facts], ...]] = {}
        self._lock = Lock()

    def find(self, key: Hashable, tensors: Sequence[object]) -> Facts | None:
        """What is known about a call that looks like this, or None.

        Raises one of NOT_PLAIN where something is no tensor, or the key cannot be hashed.
        """
        calls = self._calls.get(key, ())
        if not calls or any(map(_is_nested, tensors)):
            return None
        for call in calls:
            if call.tensors.check(*tensors):
                return None if call.wants_gradients and torch.is_grad_enabled() else call.facts
        return None

    def add(self, key: Hashable, tensors: Sequence[Tensor], facts: Facts) -> None:
        """Remember a call that passed; not one with something that only acts as a tensor, or has
        no strides."""
        # A proxy claims the class that it stands for, and `isinstance` believes it.
        if not all(issubclass(type(tensor), Tensor) for tensor in tensors):
            return
        wants_gradients = any(tensor.requires_grad for tensor in tensors)
        try:
            call = _Call(_likeness(tensors), wants_gradients, facts)
        except NOT_PLAIN:
            return
        with self._lock:
            known = self._calls.pop(key, ())[: ALIKE - 1]
            if len(self._calls) >= LIMIT:
                del self._calls[next(iter(self._calls))]
            self._calls[key] = (call, *known)
