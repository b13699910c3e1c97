"""Allocate the snapshot scratch of a verify step for too many requests."""

import torch

free, total = torch.cuda.mem_get_info()
bytes_per_request = 8 * 96 * 128 * 128 * 4  # T1 = 8, 96 heads, fp32

requests = total // bytes_per_request + 1
scratch = torch.empty(requests, 8, 96, 128, 128, device="cuda")
actual, expected = scratch.numel() * 4, requests * bytes_per_request
