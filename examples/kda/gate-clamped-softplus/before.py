"""Run the recurrence of a model with a safe gate, from log decays computed outside."""

import torch
from kda_kernels import fused_recurrent_kda, reference_recurrent, sample_recurrent_inputs
from torch.nn.functional import softplus

inputs = sample_recurrent_inputs(lengths=[3, 2], heads=1, value_heads=1)
logits = torch.randn_like(inputs["g"])
A_log, dt_bias = torch.randn(1).to(logits.device), torch.randn(128).to(logits.device)
gate = {"g": logits, "A_log": A_log, "dt_bias": dt_bias, "lower_bound": -5.0}
expected, _ = reference_recurrent.fused_recurrent_kda(**inputs | gate, use_gate_in_kernel=True)

rate = A_log.exp()
inputs["g"] = torch.clamp(-rate * softplus(logits + dt_bias), min=-5.0)
actual, _ = fused_recurrent_kda(**inputs)
