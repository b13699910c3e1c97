"""Verify four tokens of one request; the arguments are collected in a dict."""

from kda_kernels import fused_kda_decode_mtp_dspark, sample_inputs

inputs = sample_inputs(requests=1, tokens_per_request=4, heads=1)

actual = fused_kda_decode_mtp_dspark(inputs)
