"""Verify two requests in a batch captured for three; the third is padding."""

import torch
from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=3, tokens_per_request=4, heads=1)
inputs["ssm_state_indices"][2] = -1
offsets = torch.zeros(4, dtype=torch.int32)
offsets[:3] = torch.tensor([0, 4, 8])  # the live requests
inputs["cu_seqlens"] = offsets.to(inputs["x_q"].device)

actual = fused_kda_decode_mtp_dspark(**inputs, validate="device")
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
