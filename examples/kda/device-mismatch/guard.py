for name, tensor in gate.state_dict().items():
    if tensor.is_meta:
        raise ValueError(f"{name} was not loaded")
