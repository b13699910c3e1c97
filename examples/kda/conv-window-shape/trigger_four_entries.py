"""Verify four tokens of two requests; each window keeps as many inputs as there are taps."""

import torch
from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2)
inputs["cs_q"] = torch.nn.functional.pad(inputs["cs_q"], (1, 0))  # [pool, H * 128, 4]

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
