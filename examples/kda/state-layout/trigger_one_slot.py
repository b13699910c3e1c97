"""Verify four tokens of one request with its own state."""

from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=1, tokens_per_request=4, heads=2)
slot = inputs["ssm_state_indices"][0]
inputs["recurrent_state"] = inputs["recurrent_state"][slot]  # [H, 128, 128]

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
