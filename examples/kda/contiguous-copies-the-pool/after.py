"""Decode one token in place; the slots of the pool are padded, so it is not contiguous."""

from kda_kernels import kda_decode, reference_decode, sample_decode_inputs

inputs = sample_decode_inputs(requests=2, heads=1)
pool, slots = inputs["recurrent_state"], inputs["ssm_state_indices"].long()
expected = reference_decode.kda_decode(**inputs).recurrent_state[slots]

inputs["recurrent_state"] = pool
kda_decode(**inputs)
actual = pool[slots]
