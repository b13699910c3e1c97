"""Verify four tokens of two requests; the gate's logits are stored [1, T, 128, H]."""

from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2)
logits = inputs["g"].transpose(2, 3).contiguous()
inputs["g"] = logits.transpose(2, 3)

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
