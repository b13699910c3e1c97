"""Verify four tokens of two requests with the layer's output norm fused."""

from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2, output_norm=True)
config = {"rms_norm_eps": 1e-5}
inputs["onorm_eps"] = config.get("rms_norm_eps")

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
