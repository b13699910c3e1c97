"""Verify four tokens of two requests; the output gate comes from a linear layer."""

from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2, output_norm=True)
projected = inputs["onorm_gate"].flatten(2)  # [1, T, H * 128]
inputs["onorm_gate"] = projected

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
