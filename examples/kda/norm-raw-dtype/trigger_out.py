"""Normalise the output of four tokens into an fp32 buffer."""

from kda_kernels import kda_onorm_apply, reference_conv, sample_norm_inputs

inputs = sample_norm_inputs()
expected = reference_conv.kda_onorm_apply(**inputs)

inputs["out"] = inputs["out"].float()
actual = kda_onorm_apply(**inputs)
