"""Verify two tokens of a checkpoint in which one head's A_log is 100."""

from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=1, tokens_per_request=2, heads=2)
inputs["A_log"][0] = 100.0
inputs["g"][..., 0] = 0.0  # a channel whose logit and bias cancel
inputs["dt_bias"].view(2, 128)[:, 0] = 0.0
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out

parameters = {"A_log": inputs["A_log"]}
actual = fused_kda_decode_mtp_dspark(**inputs | parameters)
