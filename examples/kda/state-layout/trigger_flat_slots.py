"""Verify two requests with a pool whose slots are plain rows of numbers."""

from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2)
inputs["recurrent_state"] = inputs["recurrent_state"].flatten(1)  # [pool, H * 128 * 128]

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
