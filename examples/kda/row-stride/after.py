"""Verify four tokens of two requests; q, k and v come from one projection."""

import torch
from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2)
streams = [inputs["x_q"], inputs["x_k"], inputs["x_v"]]
x_q, x_k, x_v = torch.stack(streams, dim=2).unbind(2)  # [1, T, 3, H, 128]
inputs |= {"x_q": x_q, "x_k": x_k, "x_v": x_v}

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
