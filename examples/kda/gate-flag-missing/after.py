"""Run the recurrence of a safe-gate model; the flag was left out."""

from kda_kernels import fused_recurrent_kda, reference_recurrent, sample_recurrent_inputs

inputs = sample_recurrent_inputs(lengths=[2, 1])
expected, _ = reference_recurrent.fused_recurrent_kda(**inputs)

inputs["lower_bound"] = None
actual, _ = fused_recurrent_kda(**inputs)
