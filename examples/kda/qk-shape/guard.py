tokens, heads = inputs["x_q"].shape[1:3]
for name in ("x_q", "x_k"):
    if inputs[name].shape != (1, tokens, heads, 128):
        raise ValueError(f"{name} is {tuple(inputs[name].shape)}, want {(1, tokens, heads, 128)}")
