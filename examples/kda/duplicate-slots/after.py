"""Decode a request and its fork; the fork has a slot of its own, copied from its parent's."""

import torch
from kda_kernels import kda_decode, reference_decode, sample_decode_inputs

inputs = sample_decode_inputs(requests=2, heads=1)
pools = [inputs[name] for name in ("recurrent_state", "cs_q", "cs_k", "cs_v")]
for pool in pools:
    pool[2] = pool[1]
slots = torch.tensor([1, 2], dtype=torch.int32, device=pool.device)
expected = reference_decode.kda_decode(**inputs | {"ssm_state_indices": slots}).recurrent_state[1:3]

inputs["ssm_state_indices"] = slots
kda_decode(**inputs)
actual = inputs["recurrent_state"][1:3]
