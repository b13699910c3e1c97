"""Verify four tokens of two requests; the norm's weight has one element per channel."""

from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2, output_norm=True)
inputs["onorm_weight"] = inputs["onorm_weight"].repeat(2)  # [H * 128]

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
