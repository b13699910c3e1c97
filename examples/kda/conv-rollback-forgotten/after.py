"""Commit two of three verified tokens, then look at the convolution window for the next step."""

import torch
from kda_kernels import (
    commit_after_verify,
    commit_keywords,
    fused_kda_decode_mtp_dspark,
    reference,
    sample_inputs,
)

inputs = sample_inputs(requests=1, tokens_per_request=3, heads=1, rings=True)
slots = inputs["ssm_state_indices"]
expected = reference.fused_kda_decode_mtp_dspark(**inputs).windows_k[:, 1]
accept = torch.tensor([2], dtype=torch.int32, device=slots.device)

fused_kda_decode_mtp_dspark(**inputs)
commit_after_verify(**commit_keywords(inputs), accept_lens=accept)
actual = inputs["cs_k"][slots.long()]
