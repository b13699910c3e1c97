"""Verify four tokens of two requests; the bias is a column of a table."""

import torch
from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2)
table = torch.stack([inputs["dt_bias"]] * 2, dim=1)  # [C, 2]
inputs["dt_bias"] = table[:, 0]

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
