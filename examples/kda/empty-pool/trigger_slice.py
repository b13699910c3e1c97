"""Verify two requests of the second of two groups of two slots, counted from one."""

from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2)
group = 2
for name in ("recurrent_state", "cs_q", "cs_k", "cs_v"):
    inputs[name] = inputs[name][2 * group : 2 * group + 2]

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
