"""Verify four tokens of two requests; q is a column slice of a packed projection."""

from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2)
projected = inputs["x_q"].flatten(2)  # [1, T, H * 128]
inputs["x_q"] = projected

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
