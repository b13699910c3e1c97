"""Verify four draft tokens; beta is one number per token and head, [1, T, H]."""

from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=1)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
projected, gate = inputs["beta"], inputs["g"]

inputs["beta"] = projected
actual = fused_kda_decode_mtp_dspark(**inputs)
