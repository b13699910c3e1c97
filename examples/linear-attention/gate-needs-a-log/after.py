"""Run the recurrence on raw gate logits; the rate was left out."""

from kda_kernels import fused_recurrent_kda, reference_recurrent, sample_recurrent_inputs

inputs = sample_recurrent_inputs(lengths=[2, 1])
expected, _ = reference_recurrent.fused_recurrent_kda(**inputs)

logits = inputs["g"]
inputs["use_gate_in_kernel"] = False
actual, _ = fused_recurrent_kda(**inputs)
