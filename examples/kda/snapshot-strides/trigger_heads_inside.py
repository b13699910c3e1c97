"""Verify four tokens of two requests; the scratch keeps the heads next to the keys."""

import torch
from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2)
scratch = torch.empty(3, 4, 128, 2, 128, device=inputs["x_q"].device)
inputs["intermediate_ssm"] = scratch.transpose(2, 3)

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
