"""Verify four tokens of two requests with all checks, because debugging is on."""

from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2)
debug = True
validate = debug

actual = fused_kda_decode_mtp_dspark(**inputs, validate=validate)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
