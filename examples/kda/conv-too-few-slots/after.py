"""Update the convolution of two requests without naming their slots."""

from kda_kernels import causal_conv1d_update, reference_conv, sample_conv_inputs

inputs = sample_conv_inputs()
expected, _ = reference_conv.causal_conv1d_update(**inputs)

inputs["conv_state_indices"] = inputs["conv_state_indices"]
inputs["conv_state"] = inputs["conv_state"][:4]
actual = causal_conv1d_update(**inputs)
