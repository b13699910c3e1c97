"""Run the recurrence with write strengths of a projection of width one."""

from kda_kernels import fused_recurrent_kda, reference_recurrent, sample_recurrent_inputs

inputs = sample_recurrent_inputs(lengths=[2, 1])
expected, _ = reference_recurrent.fused_recurrent_kda(**inputs)

inputs["beta"] = inputs["beta"].unsqueeze(-1)
actual, _ = fused_recurrent_kda(**inputs)
