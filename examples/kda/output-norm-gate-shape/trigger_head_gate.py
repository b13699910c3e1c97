"""Verify four tokens of two requests with one output gate per head."""

from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2, output_norm=True)
inputs["onorm_gate"] = inputs["onorm_gate"].mean(dim=-1)  # [1, T, H]

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
