"""Decode one token; the gate logits still cover the draft."""

from kda_kernels import kda_decode, reference_decode, sample_decode_inputs

inputs = sample_decode_inputs(requests=2, heads=1)
expected = reference_decode.kda_decode(**inputs).out

inputs["g"] = inputs["g"].repeat(1, 2, 1, 1)
actual = kda_decode(**inputs)
