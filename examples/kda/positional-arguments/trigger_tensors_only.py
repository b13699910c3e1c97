"""Verify draft tokens with the seven tensors that a published example passes, in its order."""

from kda_kernels import fused_kda_decode_mtp_dspark, sample_inputs

inputs = sample_inputs(requests=1, tokens_per_request=4, heads=1)
q, k, v = inputs["x_q"], inputs["x_k"], inputs["x_v"]
g, beta = inputs["g"], inputs["beta"]
cu_seqlens, state = inputs["cu_seqlens"], inputs["recurrent_state"]

actual = fused_kda_decode_mtp_dspark(q, k, v, g, beta, cu_seqlens, state)
