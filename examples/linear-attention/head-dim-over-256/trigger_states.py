"""Compute the states of the gated delta rule, 64 tokens at a time, for 512 key channels."""

import torch
from fla.ops.common.chunk_delta_h import chunk_gated_delta_rule_fwd_h

device = "cuda" if torch.cuda.is_available() else "cpu"
k, w = torch.randn(2, 1, 64, 1, 512, device=device, dtype=torch.bfloat16)
u = torch.randn(1, 64, 1, 64, device=device, dtype=torch.bfloat16)
g = torch.zeros(1, 64, 1, device=device)

states, _, _ = chunk_gated_delta_rule_fwd_h(k=k, w=w, u=u, g=g)
