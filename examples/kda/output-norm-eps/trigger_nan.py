"""Verify four tokens of two requests; the constant comes from an unfilled table."""

import torch
from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2, output_norm=True)
constants = torch.full((4,), torch.nan)
inputs["onorm_eps"] = constants[1].item()

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
