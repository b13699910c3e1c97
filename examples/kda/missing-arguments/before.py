"""Verify four tokens of one request; the rings replace the snapshots."""

from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=1, tokens_per_request=4, heads=1, rings=True)
keywords = {name: value for name, value in inputs.items() if value is not None}

actual = fused_kda_decode_mtp_dspark(**keywords)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
