channels = inputs["x_q"].shape[2] * 128
for name in ("w_q", "w_k", "w_v"):
    if inputs[name].shape != (channels, 4):
        raise ValueError(f"{name} is {tuple(inputs[name].shape)}, want ({channels}, 4)")
