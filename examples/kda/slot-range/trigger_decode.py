"""Decode one token of two requests; the second slot is past a pool of four."""

from kda_kernels import kda_decode, sample_decode_inputs

inputs = sample_decode_inputs(requests=2, heads=1)
inputs["ssm_state_indices"][1] = 4

kda_decode(**inputs, validate="device")
