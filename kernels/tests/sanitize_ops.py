"""Call every op once at small shapes, for compute-sanitizer.

    PYTORCH_NO_CUDA_MEMORY_CACHING=1 compute-sanitizer --tool memcheck python sanitize_ops.py

Without torch's cache every tensor is an allocation of its own, so that memcheck knows its end.
"""

from __future__ import annotations

import torch
from compile_ops import CALLS


def main() -> None:
    """Run the calls that `compile_ops` compiles, one after another."""
    for call in CALLS:
        call()
        torch.cuda.synchronize()
    print(f"{len(CALLS)} calls")


if __name__ == "__main__":
    main()
