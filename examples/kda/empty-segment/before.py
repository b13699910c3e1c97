"""Verify a request without draft tokens beside one of 6 tokens."""

import kda_kernels as kda

inputs = kda.sample_fallback_inputs(lengths=[0, 6], heads=1)  # cu_seqlens is [0, 0, 6]

actual = kda.fused_kda_decode_mtp_dspark(**inputs)
expected = kda.reference_decode.kda_decode_fallback(**inputs).out
