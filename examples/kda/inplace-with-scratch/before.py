"""Advance a ragged batch in place with the keywords of a verify step."""

from kda_kernels import kda_decode_fallback, reference_decode, sample_fallback_inputs

inputs = sample_fallback_inputs(lengths=[2, 1], heads=1)
expected = reference_decode.kda_decode_fallback(**inputs).out

inputs["inplace"] = True
actual = kda_decode_fallback(**inputs)
