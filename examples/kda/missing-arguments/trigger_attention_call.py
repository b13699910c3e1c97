"""Verify four tokens of one request with the arguments of a linear-attention call."""

from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=1, tokens_per_request=4, heads=1, rings=True)
keywords = {name: inputs[name] for name in ("x_q", "x_k", "x_v", "g", "beta", "cu_seqlens")}

actual = fused_kda_decode_mtp_dspark(**keywords)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
