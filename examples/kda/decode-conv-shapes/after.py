"""Decode one token; the taps come as torch.nn.Conv1d keeps them."""

from kda_kernels import kda_decode, reference_decode, sample_decode_inputs

inputs = sample_decode_inputs(requests=2, heads=1)
expected = reference_decode.kda_decode(**inputs).out

inputs["w_k"] = inputs["w_k"][:, None].squeeze(1)
actual = kda_decode(**inputs)
