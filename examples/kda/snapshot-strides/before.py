"""Verify four tokens of two requests; the snapshot scratch is allocated at start-up."""

import torch
from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2)
scratch = torch.empty(3, 4, 2, 128, 128).transpose(-1, -2)
inputs["intermediate_ssm"] = scratch.to(inputs["x_q"].device)

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
