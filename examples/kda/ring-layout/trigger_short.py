"""Verify four tokens of two requests with rings that were sized for three."""

from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2, rings=True)
for name in ("replayssm_rawv", "replayssm_rawk", "replayssm_g", "replayssm_beta"):
    inputs[name] = inputs[name][:, :, :3].contiguous()

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
