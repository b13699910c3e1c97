"""Run the recurrence with two key heads and three value heads."""

from kda_kernels import fused_recurrent_kda, reference_recurrent, sample_recurrent_inputs

inputs = sample_recurrent_inputs(lengths=[2, 1], heads=2, value_heads=2)
expected, _ = reference_recurrent.fused_recurrent_kda(**inputs)

for name in ("v", "g", "beta"):
    inputs[name] = inputs[name][:, :, [0, 1]]
inputs["initial_state"] = inputs["initial_state"][:, [0, 1]]
actual, _ = fused_recurrent_kda(**inputs)
