"""Verify four tokens of two requests with the norm's weight as the checkpoint stores it."""

from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2, output_norm=True)
stored = inputs["onorm_weight"].bfloat16()
inputs["onorm_weight"] = stored

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
