"""Verify the drafts of a request and its fork from one slot, then commit both."""

import torch
from kda_kernels import (
    commit_after_verify,
    commit_keywords,
    fused_kda_decode_mtp_dspark,
    sample_inputs,
)

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2)
inputs["ssm_state_indices"][1] = inputs["ssm_state_indices"][0]

fused_kda_decode_mtp_dspark(**inputs)
accept = torch.ones(2, dtype=torch.int32, device=inputs["x_q"].device)
commit_after_verify(**commit_keywords(inputs), accept_lens=accept, validate="device")
