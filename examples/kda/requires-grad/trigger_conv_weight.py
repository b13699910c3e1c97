"""Step a depthwise convolution with the weight of the layer that prefill uses."""

import torch
from kda_kernels import causal_conv1d_update, sample_conv_inputs

inputs = sample_conv_inputs(requests=2, channels=256)
layer = torch.nn.Conv1d(256, 256, 4, groups=256).to(inputs["weight"])
inputs["weight"] = layer.weight.squeeze(1)

causal_conv1d_update(**inputs)
