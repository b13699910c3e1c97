"""Run the recurrence with the gate's parameters and raw logits."""

import torch
from kda_kernels import fused_recurrent_kda, reference_recurrent, sample_recurrent_inputs

inputs = sample_recurrent_inputs(lengths=[2, 1])
expected, _ = reference_recurrent.fused_recurrent_kda(**inputs)

inputs["A_log"] = torch.zeros(2, device=inputs["g"].device)
inputs["dt_bias"] = torch.zeros(256, device=inputs["g"].device)
actual, _ = fused_recurrent_kda(**inputs)
