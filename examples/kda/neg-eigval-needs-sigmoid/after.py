"""Run the recurrence with negative eigenvalues allowed and write strengths given."""

from kda_kernels import fused_recurrent_kda, reference_recurrent, sample_recurrent_inputs

inputs = sample_recurrent_inputs(lengths=[2, 1])
expected, _ = reference_recurrent.fused_recurrent_kda(**inputs)

inputs["allow_neg_eigval"] = False
actual, _ = fused_recurrent_kda(**inputs)
