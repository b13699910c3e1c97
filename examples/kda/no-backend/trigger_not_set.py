"""Decode one token of two requests on a machine without a GPU."""

from kda_kernels import kda_decode, sample_decode_inputs

inputs = sample_decode_inputs(requests=2, heads=1)

kda_decode(**inputs)
