"""Verify four tokens of two requests of a model with head dimension 64."""

from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2)
inputs["x_q"] = inputs["x_q"][..., :64]  # [1, T, H, 64]
inputs["x_k"] = inputs["x_k"][..., :64]

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
