"""compare: every verdict by the dtype's bound, and nothing that passes vacuously."""

from __future__ import annotations

import math

import pytest
import torch

from errorkb.compare import Verdict, compare


def values(dtype: torch.dtype = torch.float64) -> torch.Tensor:
    """Random, in [-2, 2], with max |x| exactly 2 so that bounds are known."""
    x = torch.rand(64, dtype=torch.float64) * 4 - 2
    x[0] = 2.0
    return x.to(dtype)


@pytest.mark.parametrize(
    ("dtype", "bound"), [(torch.float64, 1e-9), (torch.float32, 1e-5)], ids=["fp64", "fp32"]
)
def test_full_precision_is_bounded_by_the_largest_expected(
    dtype: torch.dtype, bound: float
) -> None:
    expected = values(dtype)
    for factor, verdict in [(0.8, Verdict.AGREE), (1.3, Verdict.DIFFER)]:
        actual = expected.clone()
        actual[7] += 2.0 * bound * factor
        result = compare(actual, expected.double())
        assert result.verdict is verdict
        assert result.max_error == pytest.approx(bound * factor, rel=0.2)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=["bf16", "fp16"])
def test_low_precision_allows_one_rounding_of_each_element(dtype: torch.dtype) -> None:
    expected = values()
    assert compare(expected.to(dtype), expected).verdict is Verdict.AGREE
    small = expected.abs().argmin()
    spoiled = expected.to(dtype)
    spoiled[small] += 0.01  # 0.5 % of the maximum, far more than a rounding of the element
    result = compare(spoiled, expected)
    assert result.verdict is Verdict.DIFFER
    assert f"[{int(small)}]" in result.sentence
    assert "1 of 64" in result.sentence


def test_truncated_stores_agree_only_where_truncation_is_allowed() -> None:
    expected = values()
    expected[3] = 1 + 0.9 * 2**-7  # truncates to 1, rounds to 1 + 2**-7
    truncated = expected.to(torch.bfloat16)
    truncated[3] = 1.0
    assert compare(truncated, expected).verdict is Verdict.DIFFER
    assert compare(truncated, expected, truncates=True).verdict is Verdict.AGREE


def test_the_record_s_bound_replaces_the_dtype_s() -> None:
    expected = values(torch.float32)
    actual = expected.clone()
    actual[5] += 2.0 * 1e-3
    assert compare(actual, expected, relative=2e-3).verdict is Verdict.AGREE
    assert compare(actual, expected, relative=5e-4).verdict is Verdict.DIFFER


@pytest.mark.parametrize("poison", [math.nan, math.inf, -math.inf])
def test_what_is_not_finite_agrees_only_with_itself(poison: float) -> None:
    expected = values(torch.float32)
    actual = expected.clone()
    actual[9] = poison
    assert compare(actual, expected).verdict is Verdict.DIFFER
    assert compare(expected, actual).verdict is Verdict.DIFFER
    assert compare(actual, actual.clone()).verdict is Verdict.AGREE
    assert compare(actual, -actual).verdict is Verdict.DIFFER
    assert compare(poison, 1.0).verdict is Verdict.DIFFER
    assert compare(poison, poison).verdict is Verdict.AGREE


def test_poisoned_output_never_passes_whatever_the_bound() -> None:
    poisoned = torch.full((4,), math.nan, dtype=torch.bfloat16)
    result = compare(poisoned, torch.zeros(4), relative=0.5)
    assert result.verdict is Verdict.DIFFER
    assert result.max_error is None


def test_zero_expected_allows_nothing_but_zero() -> None:
    zero = torch.zeros(3)
    assert compare(zero.clone(), zero).max_error == 0.0
    result = compare(torch.full((3,), 1e-30), zero)
    assert (result.verdict, result.max_error) == (Verdict.DIFFER, None)


def test_integers_bools_and_strings_are_exact() -> None:
    assert compare(torch.arange(5), torch.arange(5).int()).verdict is Verdict.AGREE
    off = torch.arange(5)
    off[4] = 5
    assert "actual[4] is 5, expected 4" in compare(off, torch.arange(5)).sentence
    assert compare("sm_90", "sm_80").verdict is Verdict.DIFFER
    assert compare((1, True, "a"), [1, True, "a"]).verdict is Verdict.AGREE
    assert compare(3, 4).verdict is Verdict.DIFFER


def test_nested_values_name_the_place_of_the_first_difference() -> None:
    out, state = values(), values()
    good = {"out": out, "states": [state, 1.0]}
    bad = {"out": out.clone(), "states": [state.clone(), 1.0 + 1e-6]}
    result = compare(bad, good)
    assert result.verdict is Verdict.DIFFER
    assert result.sentence.startswith("actual['states'][1] is")
    assert result.max_error == pytest.approx(1e-6, rel=1e-3)


@pytest.mark.parametrize(
    ("actual", "expected", "says"),
    [
        (torch.zeros(2), torch.zeros(3), "shape (2,), expected (3,)"),
        (torch.zeros(2), [0.0, 0.0], "expected is of type list"),
        (torch.zeros(2), torch.zeros(2, dtype=torch.int64), "torch.float32, expected torch.int64"),
        ({"a": 1}, {"b": 1}, "keys ['a']"),
        ((1, 2), (1,), "2 members"),
        (None, torch.zeros(1), "None"),
        (None, None, "None"),
        (torch.zeros(0), torch.zeros(0), "no element"),
        ([], [], "no element"),
        (object(), object(), "of type object"),
    ],
)
def test_what_cannot_be_compared_says_why(actual: object, expected: object, says: str) -> None:
    result = compare(actual, expected)
    assert result.verdict is Verdict.UNUSABLE
    assert says in result.sentence


def test_a_tensor_does_not_vouch_for_itself() -> None:
    x = values()
    assert "share their memory" in compare(x, x).sentence
    assert "share their memory" in compare(x, x.view(8, 8).view(64)).sentence
    square = x.view(8, 8)
    assert compare(square, square.T).verdict is Verdict.DIFFER  # the mistake of a wrong layout


def test_complex_and_differentiable_tensors_compare_by_value() -> None:
    x = torch.complex(values(torch.float32), values(torch.float32))
    assert compare(x, x.to(torch.complex128)).verdict is Verdict.AGREE
    assert compare(x, x.conj().clone()).verdict is Verdict.DIFFER
    w = values(torch.float32).requires_grad_()
    assert compare(w, w.detach().clone()).verdict is Verdict.AGREE
