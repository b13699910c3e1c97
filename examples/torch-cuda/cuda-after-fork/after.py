"""Compute on the GPU in a worker process after the parent has used it."""

import multiprocessing

import torch


def work(queue):
    try:
        queue.put(torch.full((2,), 21.0, device="cuda").sum().item())
    except RuntimeError as error:
        queue.put(error)


if __name__ == "__main__":
    torch.zeros(1, device="cuda")
    context = multiprocessing.get_context("spawn")
    queue = context.SimpleQueue()
    worker = context.Process(target=work, args=(queue,))
    worker.start()
    actual, expected = queue.get(), 42.0
    worker.join()
    if isinstance(actual, RuntimeError):
        raise actual
