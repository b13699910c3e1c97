"""Verify four tokens of two requests without device checks, then commit one token of each."""

import torch
from kda_kernels import (
    commit_after_verify,
    commit_keywords,
    fused_kda_decode_mtp_dspark,
    sample_inputs,
)

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2)
rows = torch.ones(2, dtype=torch.int32)
inputs["intermediate_state_indices"] = rows.to(inputs["x_q"].device)

fused_kda_decode_mtp_dspark(**inputs)
accept = torch.ones(2, dtype=torch.int32, device=inputs["x_q"].device)
commit_after_verify(**commit_keywords(inputs), accept_lens=accept, validate="device")
