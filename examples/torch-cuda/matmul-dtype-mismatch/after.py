"""Project the bf16 output of a verify step with a weight that was left in fp32."""

import torch
from kda_kernels import fused_kda_decode_mtp_dspark, sample_inputs

inputs = sample_inputs(requests=1, tokens_per_request=2, heads=1)
out = fused_kda_decode_mtp_dspark(**inputs).view(2, 128)
weight = torch.randn(128, 64, device=out.device)
expected = out.double() @ weight.double()

actual = out.float() @ weight
