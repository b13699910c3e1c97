"""Calls that passed the host checks, remembered by what those checks look at.

The checks name the first argument that is wrong, one after another, which costs more than a launch.
Shapes, dtypes and strides repeat from call to call, so a call that looks like one that passed is
not checked again. No tensor is remembered; addresses and numbers are left to the caller.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from operator import attrgetter
from threading import Lock
from typing import Generic, TypeVar

import torch
from torch import Tensor

Facts = TypeVar("Facts")

LIMIT = 256
"""Most calls that are remembered for an op, at up to 10 KB each; the oldest one goes first."""

NOT_PLAIN = (AttributeError, RuntimeError, TypeError)
"""What asking for shape, strides or address raises when the argument is no tensor, or one without
strides or storage. The checks then say what is wrong."""

_properties = attrgetter("shape", "dtype", "device")
_requires_grad = attrgetter("requires_grad")


class AcceptedCalls(Generic[Facts]):
    """What the checks established about calls that passed, by signature."""

    def __init__(self) -> None:
        self._facts: dict[Hashable, Facts] = {}
        self._latest: tuple[Hashable, Facts | None] = (None, None)
        self._lock = Lock()

    def find(self, signature: Hashable) -> Facts | None:
        """What is known about a call that looks like this, or None."""
        # The layers of a model call with one signature, and comparing is cheaper than hashing.
        latest, facts = self._latest
        if signature == latest:
            return facts
        facts = self._facts.get(signature)
        if facts is not None:
            self._latest = (signature, facts)
        return facts

    def add(self, signature: Hashable, facts: Facts) -> None:
        """Remember a call that passed."""
        with self._lock:
            if len(self._facts) >= LIMIT:
                del self._facts[next(iter(self._facts))]
            self._facts[signature] = facts


def describe(tensors: Sequence[Tensor], strided: Sequence[Tensor]) -> Hashable:
    """Shapes, dtypes and devices of all tensors of a call, and the strides of some.

    Raises:
        NOT_PLAIN: one of them is no tensor, or has no strides.
    """
    return tuple(map(_properties, tensors)), tuple(map(Tensor.stride, strided))


def expects_gradients(tensors: Sequence[Tensor]) -> bool:
    """Whether grad mode is on and a tensor requires a gradient."""
    return torch.is_grad_enabled() and any(map(_requires_grad, tensors))
