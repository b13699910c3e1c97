"""Verify four tokens of two requests; q, k and v share one pool of windows."""

import torch
from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2)
packed = torch.cat((inputs["cs_q"], inputs["cs_k"], inputs["cs_v"]), dim=1)  # [pool, 3 C, 3]
inputs |= {"cs_q": packed, "cs_k": packed, "cs_v": packed}

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
