optional = ("intermediate_ssm", "replayssm_", "onorm_", "scale", "lower_bound")
for name, value in inputs.items():
    if not name.startswith(optional) and not isinstance(value, torch.Tensor):
        raise TypeError(f"{name} is a {type(value).__name__}")
