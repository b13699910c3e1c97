"""Verify two requests on the first of two ranks, with the bias of both."""

from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2)
inputs["dt_bias"] = inputs["dt_bias"].repeat(2)  # [2 * H * 128]

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
