"""Verify four tokens of two requests in the second of three layers, with rings."""

import torch
from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2, rings=True)
for name in ("replayssm_rawv", "replayssm_rawk", "replayssm_g", "replayssm_beta"):
    layers = torch.stack([inputs[name]] * 3)  # [layer, P, H, L(, 128)]
    inputs[name] = layers[1]

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
