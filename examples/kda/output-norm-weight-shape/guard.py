if inputs["onorm_weight"].shape != (128,):
    raise ValueError(f"onorm_weight is {tuple(inputs['onorm_weight'].shape)}, want (128,)")
