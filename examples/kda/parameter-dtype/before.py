"""Verify four tokens of two requests with the convolution weights of a bf16 model."""

from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2)
for name in ("w_q", "w_k", "w_v"):
    stored = inputs[name].bfloat16()
    inputs[name] = stored

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
