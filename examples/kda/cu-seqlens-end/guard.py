if offsets[-1] != inputs["x_q"].shape[1]:  # offsets is still a host tensor here
    raise ValueError(f"offsets end at {offsets[-1]}, x_q has {inputs['x_q'].shape[1]} tokens")
