"""Verify four tokens of two requests; the ring of beta is stored like beta."""

import torch
from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2, rings=True)
beta = torch.empty(4, 8, 2, device=inputs["beta"].device)  # [slots, L, H]
inputs["replayssm_beta"] = beta.transpose(1, 2)

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
