"""Compile a kernel for a GPU that is newer than the installed Triton's assembler."""

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget


@triton.jit
def scale(x, out, factor, BLOCK: tl.constexpr):
    element = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + element, factor * tl.load(x + element))


signature = {"x": "*fp32", "out": "*fp32", "factor": "fp32", "BLOCK": "constexpr"}
source = triton.compiler.ASTSource(scale, signature, {"BLOCK": 128})
binary = triton.compile(source, target=GPUTarget("cuda", 90, 32))
