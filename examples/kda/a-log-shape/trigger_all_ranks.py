"""Verify two requests on the first of two ranks, with A_log of both."""

from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2)
inputs["A_log"] = inputs["A_log"].repeat(2)  # [4]; this rank has two heads

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
