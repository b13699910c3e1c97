"""Verify four tokens of two requests with the fused output norm of a model's configuration."""

from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2, output_norm=True)
config = {"rms_norm_eps": 1e-5}
inputs["onorm_eps"] = config["rms_norm_eps"]

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
