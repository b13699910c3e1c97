"""Verify a ragged batch; the offsets have a leading dimension."""

from kda_kernels import kda_decode_fallback, reference_decode, sample_fallback_inputs

inputs = sample_fallback_inputs(lengths=[2, 1], heads=1)
expected = reference_decode.kda_decode_fallback(**inputs).out

inputs["cu_seqlens"] = inputs["cu_seqlens"].view(-1)
actual = kda_decode_fallback(**inputs)
