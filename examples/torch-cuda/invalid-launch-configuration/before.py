"""Square 100 numbers with an extension that launches blocks of 256 threads."""

import ctypes
import subprocess
import tempfile

import torch

threads = 256
source = r"""
__global__ void square(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] * x[i];
}
extern "C" void launch(const float* x, float* y, int n, int threads) {
    square<<<n / threads, threads>>>(x, y, n);
}
"""
x = torch.randn(100, device="cuda")
y = torch.zeros_like(x)
expected = x.double().cpu() ** 2

with tempfile.TemporaryDirectory() as folder:
    build = ["nvcc", "-shared", "-cudart", "shared", "-Xcompiler", "-fPIC", "-arch=native"]
    command = [*build, "-x", "cu", "-", "-o", f"{folder}/square.so"]
    subprocess.run(command, input=source, text=True, check=True)  # noqa: S603  (a fixed command)
    extension = ctypes.CDLL(f"{folder}/square.so")
pointers = (ctypes.c_void_p(tensor.data_ptr()) for tensor in (x, y))
extension.launch(*pointers, x.numel(), threads)
actual = (y + 0).cpu()
