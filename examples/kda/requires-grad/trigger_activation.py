"""Verify four tokens of two requests; the values are projected from hidden states."""

import torch
from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2)
hidden = torch.randn(1, 8, 64).to(inputs["x_v"])
projection = torch.nn.Linear(64, 256).to(hidden)
inputs["x_v"] = projection(hidden).unflatten(2, (2, 128))

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
