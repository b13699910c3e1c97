heads = inputs["x_q"].shape[2]
if inputs["A_log"].shape != (heads,):
    raise ValueError(f"A_log is {tuple(inputs['A_log'].shape)}, want ({heads},)")
