"""Normalise with the weight as the bf16 checkpoint stores it."""

from kda_kernels import kda_onorm_apply, reference_conv, sample_norm_inputs

inputs = sample_norm_inputs()
expected = reference_conv.kda_onorm_apply(**inputs)

inputs["weight"] = inputs["weight"].float()
actual = kda_onorm_apply(**inputs)
