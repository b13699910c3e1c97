"""Verify four tokens of two requests; the pool stores its windows entries first."""

from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2)
stored = inputs["cs_q"].transpose(1, 2)  # [pool, 3, H * 128]
inputs["cs_q"] = stored

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
