"""Route a batch of two requests with three lengths."""

from kda_kernels import kda_verify, reference_decode, sample_fallback_inputs

inputs = sample_fallback_inputs(lengths=[2, 1], heads=1)
expected = reference_decode.kda_decode_fallback(**inputs).out

lengths = [2, 1, 0]
actual = kda_verify(lengths, **inputs)
