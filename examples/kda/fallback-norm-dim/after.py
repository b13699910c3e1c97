"""Verify a ragged batch of a model with value dimension 64 and an output norm."""

from kda_kernels import kda_decode_fallback, reference_decode, sample_fallback_inputs

inputs = sample_fallback_inputs(lengths=[2, 1], heads=1, output_norm=True)
expected = reference_decode.kda_decode_fallback(**inputs).out

wide = inputs["x_v"]
inputs["x_v"] = wide[..., :128]
inputs["recurrent_state"] = inputs["recurrent_state"][:, :, :128]
actual = kda_decode_fallback(**inputs)
