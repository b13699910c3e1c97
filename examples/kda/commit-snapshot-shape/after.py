"""Commit one token from snapshots that were kept in bf16."""

import torch
from kda_kernels import (
    commit_after_verify,
    commit_keywords,
    fused_kda_decode_mtp_dspark,
    reference,
    sample_inputs,
)

inputs = sample_inputs(requests=1, tokens_per_request=2, heads=1)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).states[:, 0]
fused_kda_decode_mtp_dspark(**inputs)
slots = inputs["ssm_state_indices"]
keywords = commit_keywords(inputs)

keywords["intermediate_ssm"] = keywords["intermediate_ssm"].float()
commit_after_verify(**keywords, accept_lens=torch.ones_like(slots))
actual = inputs["recurrent_state"][slots.long()]
