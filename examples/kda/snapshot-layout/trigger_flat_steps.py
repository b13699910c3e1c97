"""Verify four tokens of two requests; the scratch has one row per token."""

from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2)
inputs["intermediate_ssm"] = inputs["intermediate_ssm"].flatten(0, 1)  # [R * T1, H, 128, 128]

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
