"""Verify one request in a captured batch of three."""

import torch
from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=3, tokens_per_request=2, heads=1, rings=True)
indices = torch.tensor([1, 0, 0], dtype=torch.int32)
inputs["ssm_state_indices"] = indices.to(inputs["x_q"].device)

actual = fused_kda_decode_mtp_dspark(**inputs, validate="device")
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
