for name in ("rawv", "rawk", "g", "beta"):
    if not inputs[f"replayssm_{name}"][0].is_contiguous():
        raise ValueError(f"replayssm_{name} has strides {inputs[f'replayssm_{name}'].stride()}")
