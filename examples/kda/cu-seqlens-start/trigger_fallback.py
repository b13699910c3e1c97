"""Verify the two decode requests behind 100 prefill tokens of a mixed batch."""

from kda_kernels import kda_decode_fallback, sample_fallback_inputs

inputs = sample_fallback_inputs(lengths=[3, 1], heads=1)
inputs["cu_seqlens"] += 100

kda_decode_fallback(**inputs, validate="device")
