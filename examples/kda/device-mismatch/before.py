"""Verify four tokens of two requests with a gate that was built without memory."""

import torch
from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=2)
with torch.device("meta"):
    gate = torch.nn.Module()
    gate.register_buffer("dt_bias", torch.empty(256))
gate.load_state_dict({"dt_bias": inputs["dt_bias"]})
inputs["dt_bias"] = gate.dt_bias

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
