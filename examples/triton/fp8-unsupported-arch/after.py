"""Compile a kernel that reads an fp8 cache ahead of time for an A100."""

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget


@triton.jit
def read_cache(cache, scale, out, BLOCK: tl.constexpr):
    element = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + element, tl.load(cache + element).to(tl.float32) * scale)


signature = {"cache": "*fp8e5", "scale": "fp32", "out": "*fp32", "BLOCK": "constexpr"}
source = triton.compiler.ASTSource(read_cache, signature, {"BLOCK": 128})
binary = triton.compile(source, target=GPUTarget("cuda", 80, 32))
