"""Update the convolution; the window pool was allocated in fp32."""

from kda_kernels import causal_conv1d_update, reference_conv, sample_conv_inputs

inputs = sample_conv_inputs()
expected, _ = reference_conv.causal_conv1d_update(**inputs)

inputs["conv_state"] = inputs["conv_state"].bfloat16()
actual = causal_conv1d_update(**inputs)
