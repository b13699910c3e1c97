"""Run the recurrence from a state that was saved in bf16."""

from kda_kernels import fused_recurrent_kda, reference_recurrent, sample_recurrent_inputs

inputs = sample_recurrent_inputs(lengths=[2, 1])
expected, _ = reference_recurrent.fused_recurrent_kda(**inputs)

inputs["initial_state"] = inputs["initial_state"].bfloat16()
actual, _ = fused_recurrent_kda(**inputs)
