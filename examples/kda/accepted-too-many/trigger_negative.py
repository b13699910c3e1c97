"""Commit after a verify step; a rejected request was marked with -1."""

import torch
from kda_kernels import (
    commit_after_verify,
    commit_keywords,
    fused_kda_decode_mtp_dspark,
    reference,
    sample_inputs,
)

inputs = sample_inputs(requests=1, tokens_per_request=2, heads=1, rings=True)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).states[:, 0]
fused_kda_decode_mtp_dspark(**inputs)
slots = inputs["ssm_state_indices"]
keywords = commit_keywords(inputs) | {"validate": "device"}

accept = torch.full_like(slots, -1)
commit_after_verify(**keywords, accept_lens=accept)
actual = inputs["recurrent_state"][slots.long()]
