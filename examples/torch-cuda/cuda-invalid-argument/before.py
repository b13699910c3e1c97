"""Pin a host buffer through the CUDA runtime; its size in bytes must not be 0."""

import torch

buffer = torch.zeros(4096)
runtime = torch.cuda.cudart()

size = 0
torch.cuda.check_error(runtime.cudaHostRegister(buffer.data_ptr(), size, 0))
actual, expected = buffer.is_pinned(), True
