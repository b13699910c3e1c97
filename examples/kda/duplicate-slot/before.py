"""Verify a request and its fork, whose slot 2 holds a copy of slot 1."""

import torch
from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2, rings=True)
for name in ("recurrent_state", "cs_q", "cs_k", "cs_v"):
    inputs[name][2] = inputs[name][1]
slots = [1, 1]
indices = torch.tensor(slots, dtype=torch.int32)
inputs["ssm_state_indices"] = indices.to(inputs["x_q"].device)

actual = fused_kda_decode_mtp_dspark(**inputs, validate="device")
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
