"""Verify four tokens of two requests; the rings of eight positions are cut to four."""

from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2, rings=True)
for name in ("rawv", "rawk", "g", "beta"):
    inputs[f"replayssm_{name}"] = inputs[f"replayssm_{name}"][:, :, :4]

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
