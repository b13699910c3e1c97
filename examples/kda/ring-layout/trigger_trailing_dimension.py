"""Verify four tokens of two requests; the write strengths are stored as columns."""

from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2, rings=True)
inputs["replayssm_beta"] = inputs["replayssm_beta"].unsqueeze(-1)  # [P, H, L, 1]

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
