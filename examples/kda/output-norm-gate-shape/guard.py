if inputs["onorm_gate"].shape != inputs["x_q"].shape:
    raise ValueError(f"onorm_gate is {tuple(inputs['onorm_gate'].shape)}")
