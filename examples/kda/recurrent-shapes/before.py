"""Run the recurrence on a flat batch without its leading dimension."""

from kda_kernels import fused_recurrent_kda, reference_recurrent, sample_recurrent_inputs

inputs = sample_recurrent_inputs(lengths=[2, 1])
expected, _ = reference_recurrent.fused_recurrent_kda(**inputs)

for name in ("q", "k", "v"):
    flat = inputs[name][0]
    inputs[name] = flat
actual, _ = fused_recurrent_kda(**inputs)
