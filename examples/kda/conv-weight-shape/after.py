"""Verify four tokens of two requests; the convolution of q is a Conv1d."""

import torch
from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2)
conv = torch.nn.Conv1d(256, 256, kernel_size=4, groups=256, bias=False)  # H * 128 channels
conv.to(inputs["x_q"].device)
inputs["w_q"] = conv.weight.detach().squeeze(1)

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
