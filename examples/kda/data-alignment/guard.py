for name in ("A_log", "dt_bias"):
    remainder = inputs[name].data_ptr() % 16
    if remainder:
        raise ValueError(f"{name} starts {remainder} bytes behind a multiple of 16")
