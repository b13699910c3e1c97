"""Update the convolution of two heads with the weight of one."""

from kda_kernels import causal_conv1d_update, reference_conv, sample_conv_inputs

inputs = sample_conv_inputs()
expected, _ = reference_conv.causal_conv1d_update(**inputs)

inputs["weight"] = inputs["weight"][:128]
actual = causal_conv1d_update(**inputs)
