for name in ("x_q", "x_k", "x_v", "g"):
    if inputs[name].stride(-1) != 1:
        raise ValueError(f"{name} has strides {inputs[name].stride()}")
