"""Run the recurrence of a model with key dimension 96."""

from kda_kernels import fused_recurrent_kda, reference_recurrent, sample_recurrent_inputs

inputs = sample_recurrent_inputs(lengths=[2, 1])
expected, _ = reference_recurrent.fused_recurrent_kda(**inputs)

for name in ("q", "k", "g"):
    inputs[name] = inputs[name][..., :128]
inputs["initial_state"] = inputs["initial_state"][:, :, :128]
actual, _ = fused_recurrent_kda(**inputs)
