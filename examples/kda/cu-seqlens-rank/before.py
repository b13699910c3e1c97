"""Verify four tokens of two requests with offsets from a padded batch."""

from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2)
offsets = inputs["cu_seqlens"].unsqueeze(0)  # [1, N + 1]
inputs["cu_seqlens"] = offsets

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
