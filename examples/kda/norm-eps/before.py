"""Normalise with the epsilon of a config that leaves it out."""

from kda_kernels import kda_onorm_apply, reference_conv, sample_norm_inputs

inputs = sample_norm_inputs()
expected = reference_conv.kda_onorm_apply(**inputs)

inputs["eps"] = 0.0
actual = kda_onorm_apply(**inputs)
