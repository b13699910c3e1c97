"""Verify four draft tokens of two requests; beta comes from a projection of width one."""

from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2)
projected = inputs["beta"].unsqueeze(-1)  # [1, T, H, 1]
inputs["beta"] = projected

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
