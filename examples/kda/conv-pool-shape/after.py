"""Update the convolution of a pool that stores its windows as [3, C]."""

from kda_kernels import causal_conv1d_update, reference_conv, sample_conv_inputs

inputs = sample_conv_inputs()
expected, _ = reference_conv.causal_conv1d_update(**inputs)

inputs["conv_state"] = inputs["conv_state"].transpose(1, 2).mT
actual = causal_conv1d_update(**inputs)
