"""Verify one request; the value windows are cut to it."""

from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=1, tokens_per_request=4, heads=2)
inputs["intermediate_conv_v"] = inputs["intermediate_conv_v"][:1]

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
