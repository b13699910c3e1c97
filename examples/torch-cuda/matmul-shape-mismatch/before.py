"""Project the output of two heads with a weight that expects one."""

import torch
from kda_kernels import fused_kda_decode_mtp_dspark, sample_inputs

inputs = sample_inputs(requests=1, tokens_per_request=2, heads=2)
out = fused_kda_decode_mtp_dspark(**inputs).float()  # [1, T, H, 128]
weight = torch.randn(256, 64, device=out.device)
expected = out.double().flatten(2)[0] @ weight.double()

flat = out.view(-1, 128)
actual = flat @ weight
