"""Commit two tokens of one request and none of another from the state snapshots."""

import torch
from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=3, heads=1)
pool, snapshots = inputs["recurrent_state"], inputs["intermediate_ssm"]
slots, rows = inputs["ssm_state_indices"].long(), inputs["intermediate_state_indices"].long()
states = reference.fused_kda_decode_mtp_dspark(**inputs).states
expected = torch.stack([states[0, 1], pool[slots[1]].double()])
accept = torch.tensor([2, 0], device=pool.device)

fused_kda_decode_mtp_dspark(**inputs)
last = snapshots[rows, accept - 1]
pool[slots] = torch.where(accept.view(-1, 1, 1, 1) > 0, last, pool[slots])
actual = pool[slots]
