"""Verify four tokens of two requests with rings in the dtype of the state."""

from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2, rings=True)
for name in ("replayssm_rawv", "replayssm_rawk"):
    inputs[name] = inputs[name].float()

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
