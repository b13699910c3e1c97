"""Records of errors that are easily confused, for the tests of a lookup."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from conftest import Workshop

OOM = (
    "CUDA out of memory. Tried to allocate {asked:size}. GPU {gpu:int} has a total capacity of "
    "{total:size} of which {free:size} is free. Of the allocated memory {used:size} is allocated "
    "by PyTorch, and {reserved:size} is reserved by PyTorch but unallocated.{rest:text}"
)
RECORDS: dict[str, tuple[str, str, list[tuple[str, str | None]]]] = {
    # slug: (class, package, [(template, when)])
    "demo/pool-size": (
        "demo.errors.PoolError",
        "demo",
        [("expected pool size {want:shape}, got {got:int}", None)],
    ),
    "demo/ring-size": (
        "demo.errors.PoolError",
        "demo",
        [("expected ring size {want:shape}", None)],
    ),
    "cuda/out-of-memory": ("torch.OutOfMemoryError", "torch", [(OOM, None)]),
    "cuda/fragmented": ("torch.OutOfMemoryError", "torch", [(OOM, "reserved > asked")]),
    "cuda/illegal-access": (
        "torch.AcceleratorError",
        "torch",
        [("CUDA error: an illegal memory access was encountered", None)],
    ),
    "cuda/capture": (
        "RuntimeError",
        "torch",
        [("CUDA error: operation not permitted when stream is capturing", None)],
    ),
    "triton/shared-memory": (
        "triton.runtime.errors.OutOfResources",
        "triton",
        [
            (
                "out of resource: {what:str}, Required: {required:int}, Hardware limit: "
                "{limit:int}. Reducing block sizes or `num_stages` may help.",
                None,
            )
        ],
    ),
    "triton/no-config": (
        "RuntimeError",
        "torch",
        [("No valid triton configs. {cls:name}: {why:str}", None)],
    ),
    "triton/cache": (
        "PermissionError",
        "triton",
        [("[Errno 13] Permission denied: '{p:path}'", None)],
    ),
    "triton/compiler": (
        "subprocess.CalledProcessError",
        "triton",
        [("Command '['{cc:str}', {more:str}]' returned non-zero exit status {n:int}.", None)],
    ),
    "triton/headers": (
        "subprocess.CalledProcessError",
        "gcc",
        [("{file:path}:{line:int}: fatal error: Python.h: No such file or directory", None)],
    ),
    "triton/range": ("ValueError", "triton", [("arange's range must be a power of 2", None)]),
    "triton/wrapped": (
        "triton.errors.LoweringError",
        "triton",
        [("lowering of {op:word} failed: {why:text}", None)],
    ),
}


def put_all(workshop: Workshop) -> None:
    """Write them into an empty library, EKB0001 first."""
    for number, (slug, (cls, package, wordings)) in enumerate(RECORDS.items()):
        messages: list[dict[str, Any]] = [
            {"template": text, "software": package, "versions": "*", "origin": "executed"}
            | ({"when": when} if when else {})
            for text, when in wordings
        ]
        workshop.example(
            slug,
            code=f"EKB{number + 1:04}",
            title=f"About {slug}",
            exceptions=[cls],
            messages=messages,
        )
