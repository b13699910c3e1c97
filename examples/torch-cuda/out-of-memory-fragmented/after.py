"""Allocate one large block after every other one of many blocks was freed."""

import os

os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "expandable_segments:True"
import torch

free, _ = torch.cuda.mem_get_info()
block = 80 * 2**20
count = int(free * 0.9) // block
blocks = [torch.empty(block, dtype=torch.uint8, device="cuda") for _ in range(count)]
blocks = blocks[::2]

size = int(free * 0.3)
large = torch.empty(size, dtype=torch.uint8, device="cuda")
actual, expected = large.numel(), size
