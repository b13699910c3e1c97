"""Verify four tokens of two requests; the key windows have a row per pool slot."""

import torch
from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2)
inputs["intermediate_conv_k"] = torch.empty(4, 4, 256, 3).to(inputs["x_k"])

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
