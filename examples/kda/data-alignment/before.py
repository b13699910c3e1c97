"""Verify four tokens of two requests; the gate's parameters share one buffer."""

import torch
from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2)
start = 2  # behind the two elements of A_log
packed = torch.empty(start + 256, device=inputs["x_q"].device)
inputs["A_log"] = packed[:2].copy_(inputs["A_log"])
inputs["dt_bias"] = packed[start:].copy_(inputs["dt_bias"])

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
