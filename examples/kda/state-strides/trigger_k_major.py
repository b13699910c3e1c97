"""Verify four tokens of two requests; prefill left the states as [K, V]."""

from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2)
states = inputs["recurrent_state"].transpose(-1, -2).contiguous()  # [pool, H, K, V]
inputs["recurrent_state"] = states.transpose(-1, -2)

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
