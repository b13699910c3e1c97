for name, tensor in {"x": x, "weight": weight, "out": actual}.items():
    if tensor.device != x.device:
        raise ValueError(f"{name} is on {tensor.device}, want {x.device}")
