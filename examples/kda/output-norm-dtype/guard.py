kinds = {name: str(inputs[name].dtype) for name in ("onorm_gate", "onorm_weight")}
if kinds != {"onorm_gate": "torch.bfloat16", "onorm_weight": "torch.float32"}:
    raise TypeError(f"{kinds}, want bf16 and fp32")
