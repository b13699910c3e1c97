"""Verify four tokens of two requests; the scratch was cloned from the pool."""

from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2)
inputs["intermediate_conv_q"] = inputs["cs_q"].clone()  # [pool, H * 128, 3]

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
