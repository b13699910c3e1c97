"""Pin a host buffer that is pinned already, through the CUDA runtime."""

import torch

buffer = torch.zeros(4096)
runtime = torch.cuda.cudart()
torch.cuda.init()
torch.cuda.check_error(runtime.cudaHostRegister(buffer.data_ptr(), buffer.numel() * 4, 0))

actual, expected = buffer.is_pinned(), True
