"""Verify four tokens of two requests with a slot for every token."""

from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2)
inputs["ssm_state_indices"] = inputs["ssm_state_indices"].repeat_interleave(4)  # [T]

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
