"""Square 256 numbers with an extension that was compiled for an older GPU."""

import ctypes
import subprocess
import tempfile

import torch

architecture = "-gencode=arch=compute_75,code=sm_75"
source = r"""
__global__ void square(const float* x, float* y) {
    y[threadIdx.x] = x[threadIdx.x] * x[threadIdx.x];
}
extern "C" void launch(const float* x, float* y, int n) {
    square<<<1, n>>>(x, y);
}
"""
x = torch.randn(256, device="cuda")
y = torch.zeros_like(x)
expected = x.double().cpu() ** 2

with tempfile.TemporaryDirectory() as folder:
    build = ["nvcc", "-shared", "-cudart", "shared", "-Xcompiler", "-fPIC", architecture]
    command = [*build, "-x", "cu", "-", "-o", f"{folder}/square.so"]
    subprocess.run(command, input=source, text=True, check=True)  # noqa: S603  (a fixed command)
    extension = ctypes.CDLL(f"{folder}/square.so")
pointers = (ctypes.c_void_p(tensor.data_ptr()) for tensor in (x, y))
extension.launch(*pointers, x.numel())
actual = (y + 0).cpu()
