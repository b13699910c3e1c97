"""Decode one token; the projections come one row per request."""

from kda_kernels import kda_decode, reference_decode, sample_decode_inputs

inputs = sample_decode_inputs(requests=2, heads=1)
expected = reference_decode.kda_decode(**inputs).out

for name in ("x_q", "x_k", "x_v"):
    inputs[name] = inputs[name].transpose(0, 1)
actual = kda_decode(**inputs)
