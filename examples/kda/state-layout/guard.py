heads = inputs["x_q"].shape[2]
shape = tuple(inputs["recurrent_state"].shape)
if shape[1:] != (heads, 128, 128):
    raise ValueError(f"recurrent_state is {shape} for {heads} heads")
