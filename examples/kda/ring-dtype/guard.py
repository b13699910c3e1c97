for name in ("replayssm_rawv", "replayssm_rawk", "replayssm_g", "replayssm_beta"):
    want = torch.bfloat16 if "raw" in name else torch.float32
    if inputs[name].dtype != want:
        raise TypeError(f"{name} is {inputs[name].dtype}, want {want}")
