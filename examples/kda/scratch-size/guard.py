names = ("intermediate_ssm", "intermediate_conv_q", "intermediate_conv_k", "intermediate_conv_v")
sizes = {name: inputs[name].shape[0] for name in names}
if len(set(sizes.values())) > 1:
    raise ValueError(f"scratch rows differ: {sizes}")
