"""Compare what a script computed with what it should have computed.

`actual` and `expected` are a tensor, a number, a string, or a tuple, list or dict of such, of the
same structure. Bounds, by the dtype of `actual`, with M = max |expected| of that tensor:

    float64, Python float   |error| <= 1e-9 M
    float32                 |error| <= 1e-5 M
    bfloat16, float16, fp8  |error| <= u |expected| + 5e-4 M, u one rounding of the dtype (2**-8 for
                            bfloat16, 2**-11 for float16). Triton's interpreter truncates where
                            hardware rounds to nearest: there u is twice as large. The second term
                            is for intermediates that are rounded as well: a value near the middle
                            of two bf16 numbers may go either way in fp32 and in float64.
    integer, bool, string   equal

NaN agrees with NaN and infinity with the same infinity at the same place, and with nothing else.
torch is imported only where a tensor was given, so that values of other scripts need no torch.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

FLOAT64 = 1e-9
FLOAT32 = 1e-5
ROUNDED_INTERMEDIATES = 5e-4


class Verdict(StrEnum):
    AGREE = "agree"
    DIFFER = "differ"
    UNUSABLE = "unusable"
    """Not comparable at all: other structure, other shape, nothing inside."""


@dataclass(frozen=True)
class Comparison:
    """`max_error` is the largest |actual - expected| / max|expected| over finite numbers.

    It is None where there is no such number. `sentence` says what disagrees, and where.
    """

    verdict: Verdict
    max_error: float | None
    sentence: str


class _UnusableError(Exception):
    pass


@dataclass(frozen=True)
class _Bounds:
    relative: float | None
    truncates: bool

    def of(self, dtype: torch.dtype, expected: torch.Tensor, scale: float) -> torch.Tensor:
        """The bound of |error| for each element of `expected` (float64), max |expected| given."""
        import torch

        magnitude = expected.abs()
        if self.relative is not None:
            return torch.full_like(magnitude, self.relative * scale)
        if dtype.itemsize > 2:
            precise = dtype in (torch.float64, torch.complex128)
            return torch.full_like(magnitude, (FLOAT64 if precise else FLOAT32) * scale)
        spacing = torch.finfo(dtype).eps
        return (
            magnitude * (spacing if self.truncates else spacing / 2) + ROUNDED_INTERMEDIATES * scale
        )


_Leaf = tuple[int, float | None, str | None]
"""Number of elements, largest relative error, what differs."""


def compare(
    actual: object, expected: object, *, relative: float | None = None, truncates: bool = False
) -> Comparison:
    """Compare two values of the same structure.

    Args:
        actual: what was computed.
        expected: what should have been.
        relative: |error| <= relative * max|expected| in place of the dtype's own bound.
        truncates: stores to less than 32 bits were truncated, not rounded to nearest.
    """
    bounds = _Bounds(relative, truncates)
    worst: float | None = None
    first_difference: str | None = None
    compared = 0
    try:
        for where, left, right in _leaves(actual, expected, ""):
            count, error, difference = _leaf(where, left, right, bounds)
            compared += count
            if error is not None:
                worst = error if worst is None else max(worst, error)
            first_difference = first_difference or difference
    except _UnusableError as unusable:
        return Comparison(Verdict.UNUSABLE, None, str(unusable))
    if compared == 0:
        return Comparison(Verdict.UNUSABLE, None, "actual and expected hold no element")
    if first_difference is not None:
        return Comparison(Verdict.DIFFER, worst, first_difference)
    return Comparison(Verdict.AGREE, worst, f"{compared} elements agree")


def _leaves(actual: object, expected: object, where: str) -> Iterator[tuple[str, object, object]]:
    """Pairs of values that hold no others, with their place such as `[0]['out']`."""
    name = f"actual{where}"
    if isinstance(actual, dict) and isinstance(expected, dict):
        if list(map(repr, actual)) != list(map(repr, expected)):
            raise _UnusableError(
                f"{name} has the keys {list(actual)}, expected{where} has {list(expected)}"
            )
        for key in actual:
            yield from _leaves(actual[key], expected[key], f"{where}[{key!r}]")
    elif isinstance(actual, list | tuple) and isinstance(expected, list | tuple):
        if len(actual) != len(expected):
            raise _UnusableError(
                f"{name} has {len(actual)} members, expected{where} has {len(expected)}"
            )
        for index, (left, right) in enumerate(zip(actual, expected, strict=True)):
            yield from _leaves(left, right, f"{where}[{index}]")
    else:
        yield where, actual, expected


def _leaf(where: str, actual: object, expected: object, bounds: _Bounds) -> _Leaf:
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(actual, torch.Tensor):
        if not isinstance(expected, torch.Tensor):
            raise _UnusableError(f"actual{where} is a tensor, expected{where} is {_kind(expected)}")
        return _tensors(where, actual, expected, bounds)
    if isinstance(actual, str | bool | int) and type(actual) is type(expected):
        same = actual == expected
        return 1, None, None if same else f"actual{where} is {actual!r}, expected {expected!r}"
    if isinstance(actual, float | int) and isinstance(expected, float | int):
        return _numbers(where, float(actual), float(expected), bounds.relative or FLOAT64)
    raise _UnusableError(
        f"actual{where} is {_kind(actual)} and expected{where} is {_kind(expected)}; both must be "
        f"tensors, numbers or strings"
    )


def _kind(value: object) -> str:
    return "None" if value is None else f"of type {type(value).__name__}"


def _numbers(where: str, actual: float, expected: float, bound: float) -> _Leaf:
    if not (math.isfinite(actual) and math.isfinite(expected)):
        same = actual == expected or (math.isnan(actual) and math.isnan(expected))
        return 1, None, None if same else f"actual{where} is {actual}, expected {expected}"
    error = abs(actual - expected)
    scale = abs(expected)
    return (
        1,
        error / scale if scale else (0.0 if error == 0 else None),
        None if error <= bound * scale else f"actual{where} is {actual!r}, expected {expected!r}",
    )


def _tensors(where: str, actual: torch.Tensor, expected: torch.Tensor, bounds: _Bounds) -> _Leaf:
    import torch

    if actual.shape != expected.shape:
        raise _UnusableError(
            f"actual{where} has shape {tuple(actual.shape)}, expected {tuple(expected.shape)}"
        )
    if actual.numel() == 0:
        return 0, None, None
    if (actual.device, actual.data_ptr(), actual.stride()) == (
        expected.device,
        expected.data_ptr(),
        expected.stride(),
    ):
        raise _UnusableError(f"actual{where} and expected{where} share their memory")
    if _exact(actual) != _exact(expected):
        raise _UnusableError(f"actual{where} is {actual.dtype}, expected {expected.dtype}")
    left, right = actual.detach().cpu(), expected.detach().cpu()
    if _exact(actual):
        return actual.numel(), None, _first(where, left, right, left != right)
    if actual.is_complex() or expected.is_complex():
        left, right = (torch.view_as_real(t.to(torch.complex128)) for t in (left, right))
    left, right = left.to(torch.float64), right.to(torch.float64)
    finite = torch.isfinite(left) & torch.isfinite(right)
    same = (left == right) | (torch.isnan(left) & torch.isnan(right))
    scale = float(right[torch.isfinite(right)].abs().max()) if finite.any() else 0.0
    error = torch.where(finite, (left - right).abs(), torch.zeros_like(left))
    wrong = torch.where(finite, error > bounds.of(actual.dtype, right, scale), ~same)
    worst = float(error.max())
    fraction = worst / scale if scale else (0.0 if worst == 0 else None)
    return actual.numel(), fraction if finite.any() else None, _first(where, left, right, wrong)


def _exact(tensor: torch.Tensor) -> bool:
    return not (tensor.is_floating_point() or tensor.is_complex())


def _first(
    where: str, actual: torch.Tensor, expected: torch.Tensor, wrong: torch.Tensor
) -> str | None:
    """What the first wrong element is, and how many there are."""
    count = int(wrong.sum())
    if count == 0:
        return None
    index = tuple(int(i) for i in wrong.nonzero()[0])
    place = f"{where}[{', '.join(map(str, index))}]" if index else where
    return (
        f"actual{place} is {actual[index].item():.6g}, expected {expected[index].item():.6g}; "
        f"{count} of {wrong.numel()} elements differ"
    )
