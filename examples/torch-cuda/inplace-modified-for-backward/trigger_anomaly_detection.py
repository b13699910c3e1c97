"""Train an output gate as in before.py, with the detection of anomalies on."""

import torch

torch.autograd.set_detect_anomaly(True)
logits = torch.randn(4, 128, requires_grad=True)
gate = torch.sigmoid(logits)
gate.mul_(torch.rand(4, 128))
gate.sum().backward()
