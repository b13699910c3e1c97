"""Continue a KDA sequence from the states of a cache kept in bfloat16."""

import torch
from fla.ops.kda import chunk_kda


def recurrence(q, k, v, g, beta, state):
    """The delta rule with one decay per key channel, in float64."""
    q, k, v, g, beta, state = (x.double() for x in (q, k, v, g, beta, state))
    out = torch.empty_like(v)
    for t in range(q.shape[1]):
        state = state * g[:, t, :, :, None].exp()
        error = v[:, t] - torch.einsum("bhk,bhkv->bhv", k[:, t], state)
        state = state + torch.einsum("bhk,bhv->bhkv", k[:, t], beta[:, t, :, None] * error)
        out[:, t] = torch.einsum("bhk,bhkv->bhv", q[:, t] * q.shape[-1] ** -0.5, state)
    return out, state


device = "cuda" if torch.cuda.is_available() else "cpu"
q, k = torch.randn(2, 1, 64, 2, 64, device=device, dtype=torch.bfloat16)
q, k = (torch.nn.functional.normalize(x, dim=-1) for x in (q, k))
v = torch.randn(1, 64, 2, 64, device=device, dtype=torch.bfloat16)
g = torch.nn.functional.logsigmoid(torch.randn(1, 64, 2, 64, device=device))
beta = torch.rand(1, 64, 2, device=device, dtype=torch.bfloat16)
cache = torch.randn(1, 2, 64, 64, device=device, dtype=torch.bfloat16)

expected = recurrence(q, k, v, g, beta, cache)
actual = chunk_kda(q, k, v, g, beta, initial_state=cache, output_final_state=True)
