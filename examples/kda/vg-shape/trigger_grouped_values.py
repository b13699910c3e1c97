"""Verify four tokens of two requests; every key head serves two value heads."""

from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2)
inputs["x_v"] = inputs["x_v"].repeat_interleave(2, dim=2)  # [1, T, 2 H, 128]

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
