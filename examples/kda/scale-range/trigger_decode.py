"""Decode one token of two requests without scaling the query."""

from kda_kernels import kda_decode, sample_decode_inputs

inputs = sample_decode_inputs(requests=2, heads=1)
inputs["scale"] = 0.0

kda_decode(**inputs)
