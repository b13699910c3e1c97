"""Verify four tokens of two requests; two elements follow each slot of the pool."""

import torch
from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2)
states = inputs["recurrent_state"]
pages = torch.empty(4, 2 * 128 * 128 + 2, device=states.device)
inputs["recurrent_state"] = pages[:, :-2].view(4, 2, 128, 128).copy_(states)

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
