"""Verify four tokens of two requests with A_log laid out like dt_bias."""

from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2)
inputs["A_log"] = inputs["A_log"].repeat_interleave(128)  # [H * 128]

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
