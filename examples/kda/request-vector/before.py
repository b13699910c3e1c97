"""Decode two requests; the slots come from a table with one row per request."""

from kda_kernels import kda_decode, reference_decode, sample_decode_inputs

inputs = sample_decode_inputs(requests=2, heads=1)
expected = reference_decode.kda_decode(**inputs).out

inputs["ssm_state_indices"] = inputs["ssm_state_indices"][:, None]
actual = kda_decode(**inputs)
