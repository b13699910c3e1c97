for name in ("cs_q", "cs_k", "cs_v"):
    for windows in (inputs[name], inputs[name.replace("cs", "intermediate_conv")]):
        if windows.dtype != inputs["x_q"].dtype:
            raise TypeError(f"windows of {name[-1]} are {windows.dtype}")
