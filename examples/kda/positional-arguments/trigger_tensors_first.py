"""Verify four tokens of one request; q, k and v come first, as in an attention call."""

from kda_kernels import fused_kda_decode_mtp_dspark, sample_inputs

inputs = sample_inputs(requests=1, tokens_per_request=4, heads=1)
q, k, v = (inputs.pop(f"x_{stream}") for stream in "qkv")

actual = fused_kda_decode_mtp_dspark(q, k, v, **inputs)
