"""Verify four tokens of two requests; the gate's bias is kept per head."""

from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2)
per_head = inputs["dt_bias"].view(2, 128)
inputs["dt_bias"] = per_head

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
