"""Verify four tokens of two requests; q has one row per token."""

from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2)
inputs["x_q"] = inputs["x_q"].flatten(2).squeeze(0)  # [T, H * 128]

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
