"""Verify four tokens of two requests with freshly allocated rings."""

import torch
from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2, rings=True)
for name in ("replayssm_g", "replayssm_beta"):
    inputs[name] = torch.empty_like(inputs[name], dtype=torch.float32)

out = fused_kda_decode_mtp_dspark(**inputs)
result = reference.fused_kda_decode_mtp_dspark(**inputs)
slots = inputs["ssm_state_indices"].long()
actual = out, inputs["replayssm_g"][slots, :, :4]
expected = result.out, result.ring_g
