"""Run the recurrence from a state with the values first."""

from kda_kernels import fused_recurrent_kda, reference_recurrent, sample_recurrent_inputs

inputs = sample_recurrent_inputs(lengths=[2, 1])
expected, _ = reference_recurrent.fused_recurrent_kda(**inputs)

inputs["initial_state"] = inputs["initial_state"].transpose(-1, -2).contiguous()
inputs["state_v_first"] = True
actual, _ = fused_recurrent_kda(**inputs)
