"""Verify four tokens of two requests on a machine without a GPU."""

import os

from kda_kernels import fused_kda_decode_mtp_dspark, reference, sample_inputs

os.environ["TRITON_INTERPRET"] = "1"

inputs = sample_inputs(requests=2, tokens_per_request=4, heads=1)

actual = fused_kda_decode_mtp_dspark(**inputs)
expected = reference.fused_kda_decode_mtp_dspark(**inputs).out
