"""Update the convolution with the channels of all requests in one row."""

from kda_kernels import causal_conv1d_update, reference_conv, sample_conv_inputs

inputs = sample_conv_inputs()
expected, _ = reference_conv.causal_conv1d_update(**inputs)

inputs["x"] = inputs["x"].flatten().view(2, 256)
actual = causal_conv1d_update(**inputs)
