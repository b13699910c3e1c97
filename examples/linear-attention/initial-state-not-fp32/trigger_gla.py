"""Continue a GLA sequence from the states of a cache kept in bfloat16."""

import torch
from fla.ops.gla import chunk_gla

device = "cuda" if torch.cuda.is_available() else "cpu"
q, k, v = torch.randn(3, 1, 64, 2, 64, device=device, dtype=torch.bfloat16)
g = torch.nn.functional.logsigmoid(torch.randn(1, 64, 2, 64, device=device))
cache = torch.randn(1, 2, 64, 64, device=device, dtype=torch.bfloat16)

out, state = chunk_gla(q, k, v, g, initial_state=cache, output_final_state=True)
