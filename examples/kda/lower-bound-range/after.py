"""Verify four tokens of two requests of a model whose configuration stores a magnitude."""

from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2)
config = {"decay_limit": 5.0}
inputs["lower_bound"] = -config["decay_limit"]

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
