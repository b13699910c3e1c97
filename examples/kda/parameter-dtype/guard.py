for name in ("w_q", "w_k", "w_v", "A_log", "dt_bias"):
    if str(inputs[name].dtype) != "torch.float32":
        raise TypeError(f"{name} is {inputs[name].dtype}, want fp32")
