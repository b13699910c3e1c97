"""Verify four tokens of two requests; all constants of the layer are kept in fp16."""

import torch
from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2, output_norm=True)
eps = torch.tensor(1e-8, dtype=torch.float16)
inputs["onorm_eps"] = eps.item()

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
