"""Allocate on the second GPU of a machine that shows one."""

import torch

device = torch.device("cuda", torch.cuda.device_count() - 1)
values = torch.arange(8.0)
expected = values.double()

actual = values.to(device).cpu()
