"""Run the recurrence with a rate per key head."""

from kda_kernels import fused_recurrent_kda, reference_recurrent, sample_recurrent_inputs

inputs = sample_recurrent_inputs(lengths=[2, 1])
expected, _ = reference_recurrent.fused_recurrent_kda(**inputs)

inputs |= {"use_gate_in_kernel": False, "lower_bound": None}
inputs["A_log"] = None
actual, _ = fused_recurrent_kda(**inputs)
