"""Try the shapes of a large batch without allocating it."""

from kda_kernels import fused_kda_decode_mtp_dspark, sample_inputs

inputs = sample_inputs(requests=4, tokens_per_request=4, heads=12, device="meta")

fused_kda_decode_mtp_dspark(**inputs)
