"""Verify a ragged batch with offsets from a cumulative sum of floats."""

from kda_kernels import kda_decode_fallback, reference_decode, sample_fallback_inputs

inputs = sample_fallback_inputs(lengths=[2, 1], heads=1)
expected = reference_decode.kda_decode_fallback(**inputs).out

inputs["cu_seqlens"] = inputs["cu_seqlens"].float()
actual = kda_decode_fallback(**inputs)
