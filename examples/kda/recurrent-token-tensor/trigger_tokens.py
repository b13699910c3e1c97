"""Run the recurrence; the values were cut by one token."""

from kda_kernels import fused_recurrent_kda, reference_recurrent, sample_recurrent_inputs

inputs = sample_recurrent_inputs(lengths=[2, 1])
expected, _ = reference_recurrent.fused_recurrent_kda(**inputs)

inputs["v"] = inputs["v"][:, :2]
actual, _ = fused_recurrent_kda(**inputs)
