"""Run the recurrence with one decay per head, as Gated DeltaNet has it."""

from kda_kernels import fused_recurrent_kda, reference_recurrent, sample_recurrent_inputs

inputs = sample_recurrent_inputs(lengths=[2, 1])
expected, _ = reference_recurrent.fused_recurrent_kda(**inputs)

inputs["g"] = inputs["g"][..., 0]
actual, _ = fused_recurrent_kda(**inputs)
