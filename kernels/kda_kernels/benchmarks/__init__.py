"""Times of every op against the bytes that it must move: `python -m kda_kernels.benchmarks`."""
