"""Verify four tokens of two requests; q, k and v share one packed weight."""

import torch
from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2)
packed = torch.cat((inputs["w_q"], inputs["w_k"], inputs["w_v"]))  # [3 * H * 128, 4]
inputs |= {"w_q": packed, "w_k": packed, "w_v": packed}

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
