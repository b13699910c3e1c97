for name in ("w_q", "w_k", "w_v", "A_log", "dt_bias"):
    if not inputs[name].is_contiguous():
        raise ValueError(f"{name} has strides {inputs[name].stride()}")
