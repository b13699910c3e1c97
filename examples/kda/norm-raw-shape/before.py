"""Normalise the output of four tokens; heads and channels are flattened."""

from kda_kernels import kda_onorm_apply, reference_conv, sample_norm_inputs

inputs = sample_norm_inputs()
expected = reference_conv.kda_onorm_apply(**inputs)

inputs["raw"] = inputs["raw"].flatten(2)
actual = kda_onorm_apply(**inputs)
