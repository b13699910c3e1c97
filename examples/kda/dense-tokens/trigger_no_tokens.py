"""Verify a step in which the scheduler selected no token."""

from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=1, tokens_per_request=4, heads=2)
for name in ("x_q", "x_k", "x_v", "g", "beta"):
    inputs[name] = inputs[name][:, :0]

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
