"""RMS norm on the GPU; the weight was loaded from a checkpoint and never moved."""

import torch
import triton
import triton.language as tl


@triton.jit
def rms_norm_rows(x, weight, out, FEATURES: tl.constexpr):
    row = tl.program_id(0)
    feature = tl.arange(0, FEATURES)
    values = tl.load(x + row * FEATURES + feature)
    scale = tl.rsqrt(tl.sum(values * values, 0) / FEATURES + 1e-6)
    tl.store(out + row * FEATURES + feature, values * scale * tl.load(weight + feature))


x = torch.randn(4, 128, device="cuda")
checkpoint = {"norm.weight": torch.rand(128)}
weight = checkpoint["norm.weight"].cuda()
actual = torch.empty_like(x)
rms_norm_rows[(4,)](x, weight, actual, FEATURES=128)
wide = x.double()
normal = wide * torch.rsqrt(wide.square().mean(-1, keepdim=True) + 1e-6)
expected = normal * weight.double().cuda()
