"""Run the recurrence on two requests, one per batch row, with offsets as well."""

from kda_kernels import fused_recurrent_kda, reference_recurrent, sample_recurrent_inputs

inputs = sample_recurrent_inputs(lengths=[1, 1])
expected, _ = reference_recurrent.fused_recurrent_kda(**inputs)

for name in ("q", "k", "v", "g", "beta"):
    rows = inputs[name][:, :2].transpose(0, 1)  # one token in each of two rows
    inputs[name] = rows.transpose(0, 1)
actual, _ = fused_recurrent_kda(**inputs)
