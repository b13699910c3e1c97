"""Verify four tokens of two requests; the state pool is allocated at start-up."""

import torch
from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2)
states = inputs["recurrent_state"]
pool = torch.empty(states.shape, dtype=torch.bfloat16, device=states.device)
inputs["recurrent_state"] = pool.copy_(states)

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
