"""Normalise with a gate that was computed in fp32."""

from kda_kernels import kda_onorm_apply, reference_conv, sample_norm_inputs

inputs = sample_norm_inputs()
expected = reference_conv.kda_onorm_apply(**inputs)

inputs["gate"] = inputs["gate"].float()
actual = kda_onorm_apply(**inputs)
