"""Verify four tokens of two requests; two elements precede the pool in its buffer."""

import torch
from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2)
states = inputs["recurrent_state"]
buffer = torch.empty(2 + 4 * 2 * 128 * 128, device=states.device)
inputs["recurrent_state"] = buffer[2:].view(4, 2, 128, 128).copy_(states)

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
