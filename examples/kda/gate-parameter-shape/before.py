"""Run the recurrence with a rate per key head."""

import torch
from kda_kernels import fused_recurrent_kda, reference_recurrent, sample_recurrent_inputs

inputs = sample_recurrent_inputs(lengths=[2, 1])
expected, _ = reference_recurrent.fused_recurrent_kda(**inputs)

inputs |= {"use_gate_in_kernel": True, "lower_bound": -5.0}
inputs["A_log"] = torch.zeros(1, device=inputs["g"].device)
actual, _ = fused_recurrent_kda(**inputs)
