"""Update the convolution of the packed projection with a bias of half its channels."""

from kda_kernels import causal_conv1d_update, reference_conv, sample_conv_inputs

inputs = sample_conv_inputs()
expected, _ = reference_conv.causal_conv1d_update(**inputs)

inputs["bias"] = inputs["bias"][:256]
actual = causal_conv1d_update(**inputs)
