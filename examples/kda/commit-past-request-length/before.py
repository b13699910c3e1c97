"""Commit what the draft width allows of a request of 3 tokens and one of a single token."""

import torch
from kda_kernels import (
    commit_after_verify,
    commit_keywords,
    kda_decode_fallback,
    reference_decode,
    sample_fallback_inputs,
)

inputs = sample_fallback_inputs(lengths=[3, 1], heads=1, rings=True)
for name in ("rawv", "rawk", "g", "beta"):
    inputs[f"replayssm_{name}"].uniform_(-1, 0)  # what earlier steps left in the rings
slots = inputs["ssm_state_indices"].long()
advanced = reference_decode.kda_decode_fallback(**inputs, inplace=True)
expected = advanced.recurrent_state[slots]
accept = torch.tensor([3, 3], dtype=torch.int32, device=slots.device)

kda_decode_fallback(**inputs)
keywords = commit_keywords(inputs)
keywords["cu_seqlens"] = None
commit_after_verify(**keywords, accept_lens=accept)
actual = inputs["recurrent_state"][slots]
