"""Names of CUDA's error codes in a line."""

from __future__ import annotations

from errorkb.cuda_codes import spelled_out


def test_both_interfaces_are_read() -> None:
    text = "CUDA error: device-side assert triggered"
    assert list(spelled_out("got cudaErrorAssert (710)")) == [("cudaErrorAssert", text)]
    assert list(spelled_out("CUDA_ERROR_ASSERT, later")) == [("CUDA_ERROR_ASSERT", text)]
    assert list(spelled_out("it was cudaErrorAssert")) == [("cudaErrorAssert", text)]


def test_a_name_is_whole() -> None:
    assert list(spelled_out("cudaErrorAssertion CUDA_ERROR_ cudaError_t 701")) == []


def test_a_line_of_many_names_is_bounded() -> None:
    assert len(list(spelled_out("cudaErrorAssert " * 50_000))) == 4
