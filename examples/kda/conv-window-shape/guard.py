channels = inputs["x_q"].shape[2] * 128
for name in ("cs_q", "cs_k", "cs_v"):
    if inputs[name].shape[1:] != (channels, 3):
        raise ValueError(f"{name} is {tuple(inputs[name].shape)}, want [pool, {channels}, 3]")
