channels = inputs["x_q"].shape[2] * 128
if inputs["dt_bias"].shape != (channels,):
    raise ValueError(f"dt_bias is {tuple(inputs['dt_bias'].shape)}, want ({channels},)")
