"""Verify four tokens of two requests with the weights of sglang's plain decode kernel."""

from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2)
inputs["w_q"] = inputs["w_q"].t().contiguous()  # [4, H * 128]

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
