"""Decode one token of two requests; the checkpoint keeps the taps first."""

from kda_kernels import kda_decode, sample_decode_inputs

inputs = sample_decode_inputs(requests=2, heads=1)
taps = inputs["w_k"].T.contiguous()  # [4, C]
inputs["w_k"] = taps.T

kda_decode(**inputs)
