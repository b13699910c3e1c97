"""Keep a result of each step in the segment of its workspace, then ask for one large block."""

import os

os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "expandable_segments:True"
import torch

free, _ = torch.cuda.mem_get_info()
unit = free // 100
results = []
for _ in range(9):
    workspace = torch.empty(10 * unit, dtype=torch.uint8, device="cuda")
    del workspace
    results.append(torch.empty(6 * unit, dtype=torch.uint8, device="cuda"))

large = torch.empty(20 * unit, dtype=torch.uint8, device="cuda")
actual, expected = large.numel(), 20 * unit
