"""Run the recurrence on keys that were repeated for the value heads."""

from kda_kernels import fused_recurrent_kda, reference_recurrent, sample_recurrent_inputs

inputs = sample_recurrent_inputs(lengths=[2, 1])
expected, _ = reference_recurrent.fused_recurrent_kda(**inputs)

inputs["k"] = inputs["k"].repeat(1, 1, 2, 1)
actual, _ = fused_recurrent_kda(**inputs)
