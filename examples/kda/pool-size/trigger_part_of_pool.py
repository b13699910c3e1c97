"""Verify two requests of the group that owns the first two slots."""

from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2)
inputs["recurrent_state"] = inputs["recurrent_state"][:2]

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
