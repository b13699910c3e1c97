"""Decode one token of two requests."""

from kda_kernels import kda_decode, sample_decode_inputs

inputs = sample_decode_inputs(requests=2, heads=1)
inputs["lower_bound"] = 5.0

kda_decode(**inputs)
