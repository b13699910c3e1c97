"""Verify four tokens of two requests with rings that are allocated at start-up."""

import torch
from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2, rings=True)
rawv = torch.empty(4, 2, 8, 128)
inputs["replayssm_rawv"] = rawv.to(inputs["replayssm_rawv"])

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
