"""Verify four tokens of two requests of a model that runs in fp16."""

from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2)
for name in ("x_q", "x_k", "x_v", "g", "beta"):
    inputs[name] = inputs[name].half()

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
