"""Verify four tokens of two requests; a counter precedes the scratch in the workspace."""

import torch
from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2)
scratch = inputs["intermediate_ssm"]
workspace = torch.zeros(8 + scratch.nbytes, dtype=torch.uint8, device=scratch.device)
inputs["intermediate_ssm"] = workspace[8:].view(torch.float32).view(scratch.shape)

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
