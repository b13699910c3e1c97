"""Verify four tokens of two requests of a model with the softplus gate."""

from kda_kernels import kda_decode_fallback, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2)
inputs["lower_bound"] = None

actual = kda_decode_fallback(**inputs)
expected = reference.kda_decode_fallback(**inputs).out
