"""Verify a ragged batch whose scratch was sized for shorter drafts."""

from kda_kernels import kda_decode_fallback, reference_decode, sample_fallback_inputs

inputs = sample_fallback_inputs(lengths=[2, 1], heads=1)
expected = reference_decode.kda_decode_fallback(**inputs).out

for stream in "qkv":
    name = f"intermediate_conv_{stream}"
    inputs[name] = inputs[name][:, :1]
inputs["validate"] = "device"
actual = kda_decode_fallback(**inputs)
