"""Decode one token of a model with a bias per head."""

from kda_kernels import kda_decode, reference_decode, sample_decode_inputs

inputs = sample_decode_inputs(requests=2, heads=1)
expected = reference_decode.kda_decode(**inputs).out

inputs["bias_q"] = inputs["bias_k"] = inputs["bias_v"] = inputs["A_log"]
actual = kda_decode(**inputs)
