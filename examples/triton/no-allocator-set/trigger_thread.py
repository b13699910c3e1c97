"""The same copy from a worker thread; the allocator was set in the main thread."""

import threading

import torch
import triton
import triton.language as tl


def allocate(size, alignment, stream):
    return torch.empty(size, dtype=torch.int8, device="cuda")


@triton.jit
def copy_tile(x, out, rows, columns, SIZE: tl.constexpr):
    source = tl.make_tensor_descriptor(x, [rows, columns], [columns, 1], [SIZE, SIZE])
    target = tl.make_tensor_descriptor(out, [rows, columns], [columns, 1], [SIZE, SIZE])
    target.store([0, 0], source.load([0, 0]))


def work(failures):
    try:
        copy_tile[(1,)](x, actual, 32, 32, SIZE=32)
    except RuntimeError as error:
        failures.append(error)


x = torch.randn(32, 32, device="cuda")
actual = torch.empty_like(x)
triton.set_allocator(allocate)
failures = []
worker = threading.Thread(target=work, args=(failures,))
worker.start()
worker.join()
for error in failures:
    raise error
expected = x.double()
