"""Update the convolution of a pool with room for the current token."""

import torch
from kda_kernels import causal_conv1d_update, reference_conv, sample_conv_inputs

inputs = sample_conv_inputs()
expected, _ = reference_conv.causal_conv1d_update(**inputs)

inputs["conv_state"] = torch.cat([inputs["conv_state"], inputs["conv_state"][..., :1]], -1)
actual = causal_conv1d_update(**inputs)
