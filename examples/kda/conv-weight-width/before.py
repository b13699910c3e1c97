"""Update the convolution with the weight of a depthwise torch.nn.Conv1d."""

from kda_kernels import causal_conv1d_update, reference_conv, sample_conv_inputs

inputs = sample_conv_inputs()
expected, _ = reference_conv.causal_conv1d_update(**inputs)

inputs["weight"] = inputs["weight"][:, None]
actual = causal_conv1d_update(**inputs)
