"""Verify two draft tokens of a model whose projection yields write-strength logits."""

import torch
from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
logits = inputs["beta"]

inputs["beta"] = torch.sigmoid(logits)
actual = fused_kda_decode_mtp_dspark(**inputs)
