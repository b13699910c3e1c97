"""Verify four tokens of two requests and keep what the commit replays in rings."""

from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2, rings=True)
inputs["replayssm_beta"] = None

out = fused_kda_decode_mtp_dspark(**inputs)
result = reference.fused_kda_decode_mtp_dspark(**inputs)
slots = inputs["ssm_state_indices"].long()
actual = out, inputs["replayssm_beta"][slots, :, :4]
expected = result.out, result.ring_beta
