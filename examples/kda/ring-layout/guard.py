heads, length = inputs["replayssm_rawv"].shape[1:3]
for name in ("replayssm_rawv", "replayssm_rawk", "replayssm_g"):
    if inputs[name].shape[1:] != (heads, length, 128):
        raise ValueError(f"{name} is {tuple(inputs[name].shape)}")
if inputs["replayssm_beta"].shape[1:] != (heads, length) or length < 4:
    raise ValueError(f"replayssm_beta is {tuple(inputs['replayssm_beta'].shape)}")
