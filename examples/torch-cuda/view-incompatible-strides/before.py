"""Flatten the tokens of every head of a verify output."""

from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=1, tokens_per_request=2, heads=2)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out.transpose(1, 2).flatten(2)

by_head = fused_kda_decode_mtp_dspark(**inputs).transpose(1, 2)  # [1, H, T, 128]
actual = by_head.view(1, 2, -1)
