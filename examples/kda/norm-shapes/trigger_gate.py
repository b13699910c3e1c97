"""Normalise the output of four tokens; the gate is flattened."""

from kda_kernels import kda_onorm_apply, reference_conv, sample_norm_inputs

inputs = sample_norm_inputs()
expected = reference_conv.kda_onorm_apply(**inputs)

inputs["gate"] = inputs["gate"].flatten(2)
actual = kda_onorm_apply(**inputs)
