"""Verify four tokens of two requests with A_log as the checkpoint stores it."""

from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2)
stored = inputs["A_log"].view(1, 1, 2, 1)
inputs["A_log"] = stored

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
