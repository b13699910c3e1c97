"""Normalise an output that was kept in fp32."""

from kda_kernels import kda_onorm_apply, reference_conv, sample_norm_inputs

inputs = sample_norm_inputs()
expected = reference_conv.kda_onorm_apply(**inputs)

inputs["raw"] = inputs["raw"].float().bfloat16()
actual = kda_onorm_apply(**inputs)
