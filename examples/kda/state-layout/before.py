"""Verify four tokens of two requests in the second of three layers."""

import torch
from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2)
layers = torch.stack([inputs["recurrent_state"]] * 3)  # [layer, pool, H, 128, 128]
inputs["recurrent_state"] = layers

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
