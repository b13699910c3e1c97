"""Verify four tokens of one request; the total length is known."""

from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=1, tokens_per_request=4, heads=2)
inputs["cu_seqlens"] = inputs["cu_seqlens"][-1]  # 0-d

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
