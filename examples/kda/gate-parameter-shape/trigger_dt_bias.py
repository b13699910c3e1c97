"""Run the recurrence with a bias that is split into heads."""

import torch
from kda_kernels import fused_recurrent_kda, reference_recurrent, sample_recurrent_inputs

inputs = sample_recurrent_inputs(lengths=[2, 1])
expected, _ = reference_recurrent.fused_recurrent_kda(**inputs)

inputs |= {"use_gate_in_kernel": True, "lower_bound": -5.0}
inputs["dt_bias"] = torch.zeros(2, 128, device=inputs["g"].device)
actual, _ = fused_recurrent_kda(**inputs)
