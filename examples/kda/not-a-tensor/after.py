"""Verify four tokens of two requests; the gate's parameter was loaded with NumPy."""

import torch
from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
loaded = inputs["A_log"].cpu().numpy()
inputs["A_log"] = torch.from_numpy(loaded).to(device)

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
