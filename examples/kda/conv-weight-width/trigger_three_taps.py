"""Update a convolution of width three."""

from kda_kernels import causal_conv1d_update, reference_conv, sample_conv_inputs

inputs = sample_conv_inputs()
expected, _ = reference_conv.causal_conv1d_update(**inputs)

inputs["weight"] = inputs["weight"][:, :3]
actual = causal_conv1d_update(**inputs)
