"""Decode one token of each of two requests; beta keeps a unit dimension."""

from kda_kernels import kda_decode, reference_decode, sample_decode_inputs

inputs = sample_decode_inputs(requests=2, heads=1)
expected = reference_decode.kda_decode(**inputs).out

inputs["beta"] = inputs["beta"].unsqueeze(-1).squeeze(-1)
actual = kda_decode(**inputs)
