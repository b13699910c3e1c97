"""Verify four tokens of two requests with rings and without a scratch."""

from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2, rings=True)
for stream in "qkv":
    inputs[f"intermediate_conv_{stream}"] = inputs[f"intermediate_conv_{stream}"][:0]

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
