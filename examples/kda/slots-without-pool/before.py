"""Run the recurrence on pool slots; the pool was left out."""

import torch
from kda_kernels import fused_recurrent_kda, reference_recurrent, sample_recurrent_inputs

inputs = sample_recurrent_inputs(lengths=[2, 1])
expected, _ = reference_recurrent.fused_recurrent_kda(**inputs)

inputs["ssm_state_indices"] = torch.arange(2, device=inputs["q"].device)
inputs["initial_state"], pool = None, inputs["initial_state"]
actual, _ = fused_recurrent_kda(**inputs)
