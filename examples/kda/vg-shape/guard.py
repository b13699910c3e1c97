for name in ("x_v", "g"):
    if inputs[name].shape != inputs["x_q"].shape:
        raise ValueError(f"{name} is {tuple(inputs[name].shape)}, x_q {tuple(inputs['x_q'].shape)}")
