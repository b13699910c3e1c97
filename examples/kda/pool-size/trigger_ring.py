"""Verify two requests with rings; the ring of the gate has a slot per request of the batch."""

from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2, rings=True)
inputs["replayssm_g"] = inputs["replayssm_g"][:2]

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
