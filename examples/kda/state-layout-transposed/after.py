"""Decode one token from a state that was saved with the keys first, [slots, H, K, V]."""

from kda_kernels import kda_decode, reference_decode, sample_decode_inputs

inputs = sample_decode_inputs(requests=2, heads=1)
expected = reference_decode.kda_decode(**inputs).out
saved = inputs["recurrent_state"].transpose(-1, -2).contiguous()  # [slots, H, K, V]

inputs["recurrent_state"] = saved.transpose(-1, -2).contiguous()
actual = kda_decode(**inputs)
