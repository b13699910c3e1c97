"""Decode one live request and one row of CUDA-graph padding; the pool's last slot is live too."""

import torch
from kda_kernels import kda_decode, sample_decode_inputs

inputs = sample_decode_inputs(requests=2, heads=1, pool_slots=4)
pool = inputs["recurrent_state"]
slots = torch.tensor([0, -1], dtype=torch.int32, device=pool.device)
expected = pool[3].double()  # belongs to a request that is not in this batch

inputs["ssm_state_indices"] = slots
kda_decode(**inputs)
actual = pool[3]
