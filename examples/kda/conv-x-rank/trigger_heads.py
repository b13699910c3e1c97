"""Update the convolution with a projection that is split into heads."""

from kda_kernels import causal_conv1d_update, reference_conv, sample_conv_inputs

inputs = sample_conv_inputs()
expected, _ = reference_conv.causal_conv1d_update(**inputs)

inputs["x"] = inputs["x"].view(2, 1, 2, 128)
actual = causal_conv1d_update(**inputs)
