"""Verify two requests on one of two ranks; the pool was sized with the heads of both."""

import torch
from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2)
inputs["recurrent_state"] = torch.zeros(4, 4, 128, 128, device=inputs["x_q"].device)

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
