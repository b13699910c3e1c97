"""Decode one token of a model whose convolution has a bias; one stream was forgotten."""

import torch
from kda_kernels import kda_decode, reference_decode, sample_decode_inputs

inputs = sample_decode_inputs(requests=2, heads=1)
expected = reference_decode.kda_decode(**inputs).out

inputs["bias_q"] = inputs["bias_k"] = inputs["bias_v"] = torch.zeros_like(inputs["dt_bias"])
actual = kda_decode(**inputs)
