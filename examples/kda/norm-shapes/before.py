"""Normalise the output of four tokens with a weight per channel of all heads."""

from kda_kernels import kda_onorm_apply, reference_conv, sample_norm_inputs

inputs = sample_norm_inputs()
expected = reference_conv.kda_onorm_apply(**inputs)

inputs["weight"] = inputs["weight"].repeat(2)
actual = kda_onorm_apply(**inputs)
