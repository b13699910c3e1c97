"""Normalise with an epsilon that a config reader could not parse."""

from kda_kernels import kda_onorm_apply, reference_conv, sample_norm_inputs

inputs = sample_norm_inputs()
expected = reference_conv.kda_onorm_apply(**inputs)

inputs["eps"] = float("nan")
actual = kda_onorm_apply(**inputs)
