tokens, heads = inputs["x_q"].shape[1:3]
if inputs["beta"].shape != (1, tokens, heads):
    raise ValueError(f"beta is {tuple(inputs['beta'].shape)}, want {(1, tokens, heads)}")
