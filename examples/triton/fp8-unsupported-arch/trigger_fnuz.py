"""Compile a kernel that reads the fp8 format of AMD's gfx942 for an H100."""

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget


@triton.jit
def read_cache(cache, scale, out, BLOCK: tl.constexpr):
    element = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + element, tl.load(cache + element).to(tl.float32) * scale)


signature = {"cache": "*fp8e4b8", "scale": "fp32", "out": "*fp32", "BLOCK": "constexpr"}
source = triton.compiler.ASTSource(read_cache, signature, {"BLOCK": 128})
binary = triton.compile(source, target=GPUTarget("cuda", 90, 32))
