"""Verify three of the four tokens that were projected for each of two requests."""

from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2)
inputs["x_q"] = inputs["x_q"][:, [0, 1, 2, 4, 5, 6]]  # [1, 6, H, 128]; x_k keeps all 8

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
