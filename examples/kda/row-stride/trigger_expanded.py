"""Verify four tokens of two requests with one output gate per head."""

from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2, output_norm=True)
gate = inputs["onorm_gate"][..., :1]
inputs["onorm_gate"] = gate.expand(-1, -1, -1, 128)

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
