"""Run the recurrence on inputs that a test drew in float64."""

from kda_kernels import fused_recurrent_kda, reference_recurrent, sample_recurrent_inputs

inputs = sample_recurrent_inputs(lengths=[2, 1])
expected, _ = reference_recurrent.fused_recurrent_kda(**inputs)

inputs["v"] = inputs["v"].double().bfloat16()
actual, _ = fused_recurrent_kda(**inputs)
