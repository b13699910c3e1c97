"""Run the recurrence on a query that was quantised to fp8."""

import torch
from kda_kernels import fused_recurrent_kda, reference_recurrent, sample_recurrent_inputs

inputs = sample_recurrent_inputs(lengths=[2, 1])
expected, _ = reference_recurrent.fused_recurrent_kda(**inputs)

inputs["q"] = inputs["q"].to(torch.float8_e4m3fn)
actual, _ = fused_recurrent_kda(**inputs)
