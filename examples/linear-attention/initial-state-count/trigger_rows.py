"""Run the recurrence on one row of three tokens with two states."""

from kda_kernels import fused_recurrent_kda, reference_recurrent, sample_recurrent_inputs

inputs = sample_recurrent_inputs(lengths=[2, 1])
expected, _ = reference_recurrent.fused_recurrent_kda(**inputs)

inputs["cu_seqlens"] = None
actual, _ = fused_recurrent_kda(**inputs)
