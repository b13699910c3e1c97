"""Commit two tokens of the second of two verify steps; each step has its own set of rings."""

import torch
from kda_kernels import (
    commit_after_verify,
    commit_keywords,
    fused_kda_decode_mtp_dspark,
    reference,
    sample_inputs,
)

first = sample_inputs(requests=1, tokens_per_request=3, heads=1, rings=True)
second = sample_inputs(requests=1, tokens_per_request=3, heads=1, rings=True)
shared = ("recurrent_state", "cs_q", "cs_k", "cs_v", "ssm_state_indices")
second |= {name: first[name] for name in shared}
expected = reference.fused_kda_decode_mtp_dspark(**second).states[:, 1]
accept = torch.tensor([2], dtype=torch.int32, device=expected.device)

fused_kda_decode_mtp_dspark(**first)  # nothing of it was accepted
fused_kda_decode_mtp_dspark(**second)
commit_after_verify(**commit_keywords(second), accept_lens=accept)
actual = first["recurrent_state"][first["ssm_state_indices"].long()]
