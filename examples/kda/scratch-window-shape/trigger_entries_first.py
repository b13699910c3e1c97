"""Verify four tokens of two requests; the scratch has the layout of the pool."""

from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2)
inputs["intermediate_conv_q"] = inputs["intermediate_conv_q"].transpose(2, 3)  # [R, T1, 3, H * 128]

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
