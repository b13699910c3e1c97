"""Verify four tokens of two requests; the loader repeated the norm's weight for every head."""

from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2, output_norm=True)
weight = inputs["onorm_weight"].repeat(2, 1)  # [H, 128]
inputs["onorm_weight"] = weight

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
