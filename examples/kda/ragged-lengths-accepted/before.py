"""Verify a request of 2 and a request of 4 tokens in one call."""

import kda_kernels as kda

inputs = kda.sample_fallback_inputs(lengths=[2, 4], heads=1)  # T = 6, N = 2

actual = kda.fused_kda_decode_mtp_dspark(**inputs)
expected = kda.reference_decode.kda_decode_fallback(**inputs).out
