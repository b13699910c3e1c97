"""Verify four tokens of two requests; the write strengths are kept for 16 tokens."""

from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2, rings=True)
inputs["replayssm_beta"] = inputs["replayssm_beta"].new_empty(4, 2, 16)  # the others: L = 8

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
