"""Verify four tokens of two requests; the projections come one row per request."""

from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2)
for name in ("x_q", "x_k"):
    batched = inputs[name].unflatten(1, (2, 4)).squeeze(0)  # [N, T1, H, 128]
    inputs[name] = batched

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
