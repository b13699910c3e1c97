"""Verify the first four tokens of a ragged batch of six."""

from kda_kernels import kda_decode_fallback, sample_fallback_inputs

inputs = sample_fallback_inputs(lengths=[3, 3], heads=1)
for name in ("x_q", "x_k", "x_v", "g", "beta"):
    inputs[name] = inputs[name][:, :4]

kda_decode_fallback(**inputs, validate="device")
