if inputs["x_q"].ndim != 4:
    raise ValueError(f"x_q has {inputs['x_q'].ndim} dimensions, want [1, T, H, 128]")
