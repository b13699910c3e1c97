"""Verify four tokens of two requests; the checkpoint keeps the taps first."""

from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2)
taps = inputs["w_q"].T.contiguous()  # [4, C]
inputs["w_q"] = taps.T

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
