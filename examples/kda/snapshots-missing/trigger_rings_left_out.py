"""Verify four tokens of two requests; the cache has rings that the call does not mention."""

from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

cache = sample_inputs(requests=2, tokens_per_request=4, heads=2, rings=True)
inputs = {name: cache[name] for name in cache if not name.startswith("replayssm_")}

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
