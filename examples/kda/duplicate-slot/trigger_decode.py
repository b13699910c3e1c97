"""Decode one token of a request and of its fork."""

from kda_kernels import kda_decode, sample_decode_inputs

inputs = sample_decode_inputs(requests=2, heads=1)
inputs["ssm_state_indices"][1] = inputs["ssm_state_indices"][0]

kda_decode(**inputs, validate="device")
