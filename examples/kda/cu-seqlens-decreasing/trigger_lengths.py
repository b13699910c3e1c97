"""Verify a ragged batch of three requests with 3, 1 and 2 tokens."""

import torch
from kda_kernels import kda_decode_fallback, sample_fallback_inputs

inputs = sample_fallback_inputs(lengths=[3, 1, 2], heads=1)
lengths = torch.tensor([0, 3, 1, 2])
inputs["cu_seqlens"] = lengths.to(inputs["cu_seqlens"])

kda_decode_fallback(**inputs, validate="device")
