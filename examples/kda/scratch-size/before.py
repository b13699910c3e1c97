"""Verify four tokens of two requests; the windows have three scratch rows."""

import torch
from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2)
rows = 2
inputs["intermediate_ssm"] = torch.empty(rows, 4, 2, 128, 128, device=inputs["x_q"].device)

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
