"""Verify four tokens of two requests; the three weights stand side by side."""

import torch
from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2)
packed = torch.cat([inputs["w_q"], inputs["w_k"], inputs["w_v"]], dim=1)  # [C, 12]
inputs["w_q"], inputs["w_k"], inputs["w_v"] = packed.split(4, dim=1)

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
