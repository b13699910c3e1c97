"""Verify four tokens of two requests in snapshot mode."""

from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2)
inputs["intermediate_ssm"] = None

out = fused_kda_decode_mtp_dspark(**inputs)
result = reference.fused_kda_decode_mtp_dspark(**inputs)
rows = inputs["intermediate_state_indices"].long()
actual = out, inputs["intermediate_ssm"][rows]
expected = result.out, result.states
